/// An answer of a service, in the form in which the control endpoint takes it.
public protocol SimulatedAnswer: ControlBody, Hashable {
    static var accepted: Self { get }
    /// The HTTP status.
    var status: Int { get }
    /// The service's own word for what is wrong; nil: none. Answers are counted by it.
    var reason: String? { get }
    /// Milliseconds to wait before the answer.
    var delayMilliseconds: Int { get }
    /// True: the request is never answered.
    var isWithheld: Bool { get }
}

extension SimulatedAnswer {
    package var time: AnswerTime { isWithheld ? .never : .after(milliseconds: delayMilliseconds) }
}

/// When a request is answered, or what comes in place of an answer.
public enum AnswerTime: Sendable {
    case after(milliseconds: Int), never
    /// Its stream is reset; with HTTP/1.1 the connection is closed.
    case reset(afterMilliseconds: Int)
    /// Its connection is cut, with all that is under way on it.
    case cut(afterMilliseconds: Int)
}
