/// The kind of a recipient's address. In a job, its name is the name of the JSON member that holds the address.
public enum AddressKind: UInt8, Sendable, Hashable, CaseIterable {
    /// A token that a provider issued to a device or to an app on it.
    case token
    /// The id of an app's installation, which Firebase calls `fid`.
    case installation
    /// A browser's subscription in the form of `PushSubscription.toJSON()` (W3C Push API). Its text is the endpoint.
    case subscription
    /// A topic at the provider. The push goes to all subscribers of the topic.
    case topic
    /// A boolean expression over topics. The push goes to the subscribers that match the expression.
    case condition
    /// A broadcast channel, which a job names in its field `channel`.
    case channel

    /// The name of the JSON member that holds an address of this kind.
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

    /// The value of the member `target` in a result event, or `nil` if events about this kind of address have no such
    /// member.
    package var target: StaticString? {
        switch self {
        case .token, .subscription, .channel: nil
        case .installation, .topic, .condition: key
        }
    }

    /// Returns the kind of address that a member of a recipient's object holds, or `nil` for other members.
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
