/// An answer from a service. The control endpoint accepts it as JSON.
public protocol SimulatedAnswer: ControlBody, Hashable {
    static var accepted: Self { get }
    var status: Int { get }
    /// The service's own reason code, or `nil` if the answer has none. The counters count answers by reason.
    var reason: String? { get }
    /// The delay before the answer, in milliseconds.
    var delayMilliseconds: Int { get }
    /// Whether the answer is withheld, so that the request is never answered.
    var isWithheld: Bool { get }
}

extension SimulatedAnswer {
    package var time: AnswerTime { isWithheld ? .never : .after(milliseconds: delayMilliseconds) }
}

/// The time at which a request is answered, or the failure in place of the answer.
public enum AnswerTime: Sendable {
    case after(milliseconds: Int), never
    /// The request's stream is reset. With HTTP/1.1, the connection is closed instead.
    case reset(afterMilliseconds: Int)
    /// The request's connection is closed without notice, which also ends all other requests on it.
    case cut(afterMilliseconds: Int)
}
