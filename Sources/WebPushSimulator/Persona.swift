/// A push service that the simulator imitates. Each persona has its own port and therefore its own origin.
public enum Persona: String, CaseIterable, Codable, Sendable {
    case apple, mozilla, google, microsoft

    /// The index of the persona's port: 0 for the main port, or 1 to 3 for the ports in `otherPorts`.
    var place: Int {
        switch self {
        case .apple: 0
        case .mozilla: 1
        case .google: 2
        case .microsoft: 3
        }
    }

    init?(place: Int) {
        guard let persona = Self.allCases.first(where: { $0.place == place }) else { return nil }
        self = persona
    }

    /// The first part of an endpoint's path. The subscription's id follows it.
    package var path: String {
        switch self {
        case .apple: "/Q"
        case .mozilla: "/wpush/v2/gAAAAA"
        case .google: "/fcm/send/"
        case .microsoft: "/w/?token="
        }
    }

    /// Whether every subscription must be bound to a VAPID key. Mozilla also has unbound subscriptions.
    var demandsKey: Bool { self != .mozilla }

    /// The maximum time for which the service stores a message, in seconds.
    var longestLife: Int {
        switch self {
        case .apple, .mozilla: 30 * 86_400
        case .google, .microsoft: 28 * 86_400
        }
    }
}
