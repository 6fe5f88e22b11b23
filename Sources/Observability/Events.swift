import Foundations

extension EventName {
    static let problemBegan = EventName("problem.began")
    static let problemEnded = EventName("problem.ended")
    static let linesDropped = EventName("log.dropped")
    static let tracesFailed = EventName("traces.failed", repeats: true)
    static let tracesGivenUp = EventName("traces.given_up", repeats: true)
    static let tracesLeft = EventName("traces.left")
    static let tracesRefused = EventName("traces.refused", repeats: true)
    static let tracesTaken = EventName("traces.resumed")
}
