import Foundations

extension EventName {
    static let messagesRefused = EventName("broker.messages.refused", repeats: true)
    static let jobRejected = EventName("job.rejected", repeats: true)
    static let claimsUnanswered = EventName("claims.unanswered", repeats: true)
    static let marksFailed = EventName("dead_tokens.mark.failed", repeats: true)
    static let marksWritten = EventName("dead_tokens.mark.resumed")
    static let claimsFailed = EventName("claims.failed", repeats: true)
    static let claimsMade = EventName("claims.resumed")
    static let lookUpFailed = EventName("dead_tokens.look_up.failed", repeats: true)
    static let lookUpsAnswered = EventName("dead_tokens.look_up.resumed")
    static let registrationFailed = EventName("device_tokens.registration.failed", repeats: true)
    static let registrationsMade = EventName("device_tokens.registration.resumed")
    static let eventUnpublishable = EventName("event.unpublishable", repeats: true)
    static let priorityLowered = EventName("consumers.priority.lowered")
    static let jobsUnsendable = EventName("jobs.unsendable", repeats: true)
    /// The log event for a finished job that ``JobLog`` selects. For ``JobLog/problems``, `jobProblems` is logged
    /// instead.
    static let jobDone = EventName("job.done")
    static let jobProblems = EventName("job.problems", repeats: true)
}
