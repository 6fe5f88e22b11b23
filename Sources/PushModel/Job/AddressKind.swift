/// What the address of a recipient is, as its JSON says it.
public enum AddressKind: UInt8, Sendable, Hashable, CaseIterable {
    /// What a provider gave a device, or an app on it.
    case token
    /// The id of an app's installation (Firebase: `fid`).
    case installation
    /// A browser's, as `PushSubscription.toJSON()` gives it (W3C Push API); its text is the endpoint.
    case subscription
    /// Whoever has subscribed to a topic of the provider's.
    case topic
    /// Whoever has subscribed to the topics that a boolean expression names.
    case condition
    /// A broadcast channel: in a job's field of that name.
    case channel

    /// In JSON.
    var key: StaticString {
        switch self {
        case .token: "token"
        case .installation: "fid"
        case .subscription: "subscription"
        case .topic: "topic"
        case .condition: "condition"
        case .channel: "channel"
        }
    }

    package var name: String { "\(key)" }

    /// Nobody in particular: in no registry, and never marked.
    public var isBroadcast: Bool {
        switch self {
        case .token, .installation, .subscription: false
        case .topic, .condition, .channel: true
        }
    }

    /// What events call it beside its text; nil: what a recipient is in the first place, or said by other means.
    package var target: StaticString? {
        switch self {
        case .token, .subscription, .channel: nil
        case .installation, .topic, .condition: key
        }
    }

    /// A member of a recipient's object.
    static func named(_ name: String) -> AddressKind? { allCases.first { $0 != .channel && $0.name == name } }
}

/// A bit for each.
package struct AddressKinds: OptionSet, Sendable, Hashable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package init(_ kind: AddressKind) { self.init(rawValue: 1 << kind.rawValue) }

    package init(_ kinds: Set<AddressKind>) { self = kinds.reduce(into: []) { $0.insert(AddressKinds($1)) } }

    package var kinds: [AddressKind] { AddressKind.allCases.filter { contains(AddressKinds($0)) } }
}
