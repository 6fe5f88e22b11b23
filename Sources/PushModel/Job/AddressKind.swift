/// The kind of a recipient's address, which is the name of its JSON member.
public enum AddressKind: UInt8, Sendable, Hashable, CaseIterable {
    /// A token that a provider issued to a device or to an app on it.
    case token
    /// The id of an app's installation (Firebase: `fid`).
    case installation
    /// A browser's subscription in the form of `PushSubscription.toJSON()` (W3C Push API). Its text is the endpoint.
    case subscription
    /// A topic of the provider. The recipients are its subscribers.
    case topic
    /// A boolean expression of topics. The recipients are the subscribers that match it.
    case condition
    /// A broadcast channel, which a job names in its field `channel`.
    case channel

    /// The name of the JSON member.
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

    /// Whether the address stands for an unknown number of devices. Such an address is not in the token registry and is
    /// never marked dead.
    public var isBroadcast: Bool {
        switch self {
        case .token, .installation, .subscription: false
        case .topic, .condition, .channel: true
        }
    }

    /// The value of `target` in an event's outcome. It is `nil` for the kinds that events show without it.
    package var target: StaticString? {
        switch self {
        case .token, .subscription, .channel: nil
        case .installation, .topic, .condition: key
        }
    }

    /// Returns the kind for the name of a member of a recipient's object.
    static func named(_ name: String) -> AddressKind? { allCases.first { $0 != .channel && $0.name == name } }
}

/// A set of address kinds with one bit for each.
package struct AddressKinds: OptionSet, Sendable, Hashable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package init(_ kind: AddressKind) { self.init(rawValue: 1 << kind.rawValue) }

    package init(_ kinds: Set<AddressKind>) { self = kinds.reduce(into: []) { $0.insert(AddressKinds($1)) } }

    package var kinds: [AddressKind] { AddressKind.allCases.filter { contains(AddressKinds($0)) } }
}
