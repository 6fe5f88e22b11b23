/// A push service that the simulator stands for. Each has a port, and so an origin, of its own.
public enum Persona: String, CaseIterable, Codable, Sendable {
    case apple, mozilla, google, microsoft

    /// The port's place among the simulator's, as in `ConnectingClient.port`.
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

    /// What an endpoint's path begins with; the id follows.
    package var path: String {
        switch self {
        case .apple: "/Q"
        case .mozilla: "/wpush/v2/gAAAAA"
        case .google: "/fcm/send/"
        case .microsoft: "/w/?token="
        }
    }

    /// Whether it tells what kind of fault it is by a VAPID key that subscriptions are bound to; Mozilla has others, too.
    var demandsKey: Bool { self != .mozilla }

    /// Seconds that it keeps a message at most.
    var longestLife: Int {
        switch self {
        case .apple, .mozilla: 30 * 86_400
        case .google, .microsoft: 28 * 86_400
        }
    }
}
