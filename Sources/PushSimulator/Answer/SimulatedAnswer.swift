/// An answer of a service, in the form in which the control endpoint accepts it.
public protocol SimulatedAnswer: ControlBody, Hashable {
    static var accepted: Self { get }
    var status: Int { get }
    /// The service's own reason code, or `nil` if it gives none. Answers are counted by reason.
    var reason: String? { get }
    /// The delay before the answer, in milliseconds.
    var delayMilliseconds: Int { get }
    /// Whether the request is never answered.
    var isWithheld: Bool { get }
}

extension SimulatedAnswer {
    package var time: AnswerTime { isWithheld ? .never : .after(milliseconds: delayMilliseconds) }
}

/// The time at which a request is answered, or the failure that replaces the answer.
public enum AnswerTime: Sendable {
    case after(milliseconds: Int), never
    /// The request's stream is reset. With HTTP/1.1, the connection is closed instead.
    case reset(afterMilliseconds: Int)
    /// The request's connection is cut, together with all other requests on it.
    case cut(afterMilliseconds: Int)
}
