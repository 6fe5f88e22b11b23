import PushModel

/// A part of a harness that a rule may require.
enum HarnessPart: Sendable {
    case behaviour(ProviderBehaviour)
    /// At least one behaviour in which the provider fails.
    case badDays
    case arrivals
    case openConnections
    case refusedRecipients
    case deadRecipients
    case doubtfulRecipients
    case credentialRefusedRecipients
    case crowd
    case credential
    case twoCredentials
    /// At least two credentials. They must belong to one account unless the plugin declares that addresses are bound to
    /// the key.
    case twoCredentialsOfAnAccount

    func isMet(by harness: OutputHarness, _ setup: OutputSetup) -> Bool {
        let samples = harness.samples
        return switch self {
        case .behaviour(let behaviour): setup.can(behaviour)
        case .badDays: ProviderBehaviour.bad.contains(where: setup.can)
        case .arrivals: setup.arrivals != nil
        case .openConnections: setup.openConnections != nil
        case .refusedRecipients: !samples.refused.isEmpty
        case .deadRecipients: !samples.dead.isEmpty
        case .doubtfulRecipients: !samples.doubtful.isEmpty
        case .credentialRefusedRecipients: !samples.credentialRefused.isEmpty
        case .crowd: samples.crowd > 0
        case .credential: !samples.credentials.isEmpty
        case .twoCredentials: samples.credentials.count > 1
        case .twoCredentialsOfAnAccount:
            samples.credentials.count > 1
                && (setup.plugin.credentials?.addressesAreBound ?? false
                    || samples.credentials[0].account == samples.credentials[1].account)
        }
    }
}

extension HarnessPart: CustomStringConvertible {
    var description: String {
        switch self {
        case .behaviour(let behaviour): "double that \(behaviour.phrase), and then accepts again"
        case .badDays: "double that can fail"
        case .arrivals: "arrivals"
        case .openConnections: "openConnections"
        case .refusedRecipients: "samples.refused"
        case .deadRecipients: "samples.dead"
        case .doubtfulRecipients: "samples.doubtful"
        case .credentialRefusedRecipients: "samples.credentialRefused"
        case .crowd: "samples.crowd"
        case .credential: "samples.credentials"
        case .twoCredentials: "two samples.credentials"
        case .twoCredentialsOfAnAccount: "two samples.credentials of one account"
        }
    }
}

extension ProviderBehaviour {
    static let bad = allCases.filter { $0 != .accepts && $0 != .slow }

    fileprivate var phrase: String {
        switch self {
        case .busy, .slow, .silent, .away: "is \(rawValue)"
        case .accepts, .refuses, .refusesCredential, .garbles, .hangsUp: rawValue
        }
    }
}

extension OutputSetup {
    func can(_ behaviour: ProviderBehaviour) -> Bool {
        behaviours[behaviour] != nil && behaviours[.accepts] != nil
    }
}
