import Dispatch
import OutputConformance
import Foundations

/// A push service in memory.
final class PaperProvider: Sendable {
    enum Answer: Sendable {
        case accepted
        case refused(reason: String)
        case dead
        case later(seconds: Int32)
        case credentialRefused
        /// A refusal without a stated cause.
        case forbidden
        case nonsense
        case connectionLost
        case nothing
        case unreachable
    }

    private struct State {
        var behaviour = ProviderBehaviour.accepts
        var arrivals: [String: Int] = [:]
        var connections: Set<String> = []
    }

    static let dead = "dead", refused = "refused", doubtful = "doubtful", keyRefused = "key-refused"
    private static let pause = DispatchTimeInterval.milliseconds(100)

    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "provider")

    var arrivals: [String: Int] { state.withLock(\.arrivals) }
    var openConnections: Int { state.withLock(\.connections.count) }

    func behave(_ behaviour: ProviderBehaviour) { state.withLock { $0.behaviour = behaviour } }

    func close(_ connection: String) { state.withLock { _ = $0.connections.remove(connection) } }

    func take(
        _ recipient: String, over connection: String, answer: @escaping @Sendable (Answer) -> Void
    ) {
        let behaviour = state.withLock { state in
            if state.behaviour != .away {
                state.arrivals[recipient, default: 0] += 1
                state.connections.insert(connection)
            }
            return state.behaviour
        }
        switch behaviour {
        case .slow: queue.asyncAfter(deadline: .now() + Self.pause) { answer(.accepted) }
        case .silent: queue.asyncAfter(deadline: .now() + Self.pause) { answer(.nothing) }
        default: queue.async { answer(Self.answer(behaviour, recipient)) }
        }
    }

    private static func answer(_ behaviour: ProviderBehaviour, _ recipient: String) -> Answer {
        switch behaviour {
        case .accepts, .slow:
            switch recipient {
            case dead: .dead
            case refused: .refused(reason: "NoSuchDoor")
            case doubtful: .forbidden
            case keyRefused: .credentialRefused
            default: .accepted
            }
        case .refuses: .refused(reason: "NotToday")
        case .busy: .later(seconds: 7)
        case .refusesCredential: .credentialRefused
        case .garbles: .nonsense
        case .hangsUp: .connectionLost
        case .silent: .nothing
        case .away: .unreachable
        }
    }
}
