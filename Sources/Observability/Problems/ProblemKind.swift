/// The kinds of problem, which docs/problems.md lists. If a log event marks the beginning of a problem, the kind has
/// the name of the event.
package enum ProblemKind: String, Sendable, Hashable, Encodable, CaseIterable {
    // Problems of the database.
    case databaseAwaited = "database.waiting"
    case databaseAway = "fleet.read.failed"
    case databaseReadOnly = "database.read_only"
    case appsUnread = "apps.read.failed"
    case marksFail = "dead_tokens.mark.failed"
    case marksDelayed = "dead_tokens.mark.delayed"
    case claimsFail = "claims.failed"
    case claimsUnanswered = "claims.unanswered"
    case cancellationsUnread = "cancellations.read.failed"
    case deadTokensUnread = "dead_tokens.read.failed"
    case lookUpsFail = "dead_tokens.look_up.failed"
    case registrationsFail = "device_tokens.registration.failed"
    case refusalsUnrecorded = "refusals.record.failed"
    case databaseUncleared = "database.clearing.failed"
    // Problems of the broker.
    case brokerSendsNothing = "broker.not_consuming"
    case brokerTakesNothing = "broker.not_publishing"
    case brokerConfirmsNothing = "broker.unconfirmed"
    case brokerRefuses = "broker.messages.refused"
    // Problems of Martlet's configuration, clock, keyring and workers.
    case clockWrong = "clock.wrong"
    case keyringUnread = "keyring.read.failed"
    case keyringOpensNothing = "keyring.open.failed"
    case credentialsUnopened = "credential.unopened"
    case credentialsKept = "credential.kept"
    case rowsUnreadable = "app.unreadable"
    case jobsHeld = "jobs.unsendable"
    case jobUnsettled = "job.unsettled"
    case appUnroutable = "app.unroutable"
    case workersForbidden = "fleet.forbidden"
    case workerGone = "worker.gone"
    case workerCrashes = "worker.crashes"
    case workerNotReady = "worker.not_ready"
    case pushesHeld = "pushes.held"
    case credentialUnusable = "credential.unusable"
    case credentialExpired = "credential.expired"
    case credentialExpires = "credential.expires"
    case tracesFail = "traces.failed"
    // Problems of a provider, or of the network path to it.
    case providerUnreachable = "provider.unreachable"
    case providerSilent = "provider.silent"
    case providerFails = "provider.failing"
    case providerSlow = "provider.slow"
    case credentialRefused = "credential.refused"
    // Problems of consumers and publishers, and decisions of operators.
    case resultsFull = "results.full"
    case resultsUnrouted = "results.unrouted"
    case tokensMostlyBad = "device_tokens.mostly_bad"
    case jobsRejected = "job.rejected"
    case pushesRetried = "pushes.retried"
    case pushesRejected = "pushes.rejected"
    case appPaused = "app.paused"
    /// A failure of a component whose log event has no kind of problem.
    case unnamedFailure = "failure"

    package var party: Problem.Party {
        switch self {
        case .databaseAwaited, .databaseAway, .databaseReadOnly, .appsUnread, .marksFail, .marksDelayed, .claimsFail,
            .claimsUnanswered, .cancellationsUnread, .deadTokensUnread, .lookUpsFail, .registrationsFail,
            .refusalsUnrecorded, .databaseUncleared:
            .database
        case .brokerSendsNothing, .brokerTakesNothing, .brokerConfirmsNothing, .brokerRefuses: .broker
        case .clockWrong, .keyringUnread, .keyringOpensNothing, .credentialsUnopened, .credentialsKept, .rowsUnreadable,
            .jobsHeld, .jobUnsettled, .appUnroutable, .workersForbidden, .workerGone, .workerCrashes, .workerNotReady,
            .pushesHeld, .credentialUnusable, .credentialExpired, .credentialExpires, .tracesFail:
            .ours
        case .providerUnreachable: .network
        case .providerSilent, .providerFails, .providerSlow, .credentialRefused: .provider
        case .resultsFull, .resultsUnrouted: .consumer
        case .tokensMostlyBad: .publisher
        case .jobsRejected, .pushesRetried, .pushesRejected, .unnamedFailure: .unknown
        case .appPaused: .decision
        }
    }

    /// Whether a problem of this kind makes workers retry pushes.
    package var explainsRetries: Bool { [.network, .provider].contains(party) && self != .providerSlow }

    package var severity: Problem.Severity {
        switch self {
        case .deadTokensUnread, .lookUpsFail, .registrationsFail, .refusalsUnrecorded, .databaseUncleared,
            .appUnroutable, .workersForbidden, .workerGone, .workerCrashes, .workerNotReady, .credentialExpired,
            .credentialExpires, .tracesFail, .resultsUnrouted, .appPaused, .pushesHeld:
            .notice
        default: .trouble
        }
    }
}
