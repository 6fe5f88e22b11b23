internal import HTTP2Session

/// Finds out what a client began and does not bring to its end. Time is counted in rounds of the connection's event
/// loop, so that no request asks the clock.
struct ProgressWatch {
    struct Problem {
        let code: HTTP2ErrorCode
        let text: String
    }

    /// Rounds in a timeout.
    static let roundsPerTimeout = 4

    /// The round in which the connection began; nil: the client has taken up our settings.
    private var settings: Int?
    /// The stream whose field list is under way, and the round in which it was first seen to be.
    private var headers: (stream: Int32, since: Int)?

    init(round: Int) {
        settings = round
    }

    static func isTooLong(since begun: Int?, at round: Int) -> Bool {
        // One more, for the round in which it began had begun before.
        begun.map { round - $0 > roundsPerTimeout } ?? false
    }

    mutating func settingsAcknowledged() {
        settings = nil
    }

    /// What the connection has to end over; told once.
    ///
    /// - Parameter unfinishedHeaders: the stream whose field list is under way; 0: none.
    mutating func problem(unfinishedHeaders stream: Int32, at round: Int) -> Problem? {
        if stream == 0 {
            headers = nil
        } else if headers?.stream != stream {
            headers = (stream, round)
        }
        if Self.isTooLong(since: settings, at: round) {
            settings = nil
            return Problem(code: .settingsTimeout, text: "the client does not acknowledge our SETTINGS")
        }
        guard Self.isTooLong(since: headers?.since, at: round) else { return nil }
        headers = nil
        return Problem(code: .enhanceYourCalm, text: "stream \(stream): a field list that does not end")
    }

    /// Begins anew: nothing could be read until now.
    mutating func restart(at round: Int) {
        if settings != nil { settings = round }
        headers = nil
    }
}
