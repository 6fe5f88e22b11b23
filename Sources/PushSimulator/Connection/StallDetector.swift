internal import HTTP2Session

/// A detector of exchanges that a client begins but does not finish. It counts time in rounds, which are regular checks
/// of all connections of an event loop. Requests therefore need not read the clock.
struct StallDetector {
    struct Problem {
        let code: HTTP2ErrorCode
        let text: String
    }

    /// The number of rounds in one timeout.
    static let roundsPerTimeout = 4

    /// The round in which the connection began, or `nil` after the client has acknowledged the server's SETTINGS.
    private var settings: Int?
    /// The stream whose field list is incomplete and the round in which this was first noticed, or `nil`.
    private var headers: (stream: Int32, since: Int)?

    init(round: Int) {
        settings = round
    }

    static func isTooLong(since begun: Int?, at round: Int) -> Bool {
        // An additional round is allowed, because the round in which the exchange began was already partly over.
        begun.map { round - $0 > roundsPerTimeout } ?? false
    }

    mutating func settingsAcknowledged() {
        settings = nil
    }

    /// Returns a problem that must end the connection, or `nil` if there is none. Each problem is returned once.
    ///
    /// - Parameter unfinishedHeaders: the stream whose field list is incomplete, or 0 if there is none.
    mutating func problem(unfinishedHeaders stream: Int32, at round: Int) -> Problem? {
        if stream == 0 {
            headers = nil
        } else if headers?.stream != stream {
            headers = (stream, round)
        }
        if Self.isTooLong(since: settings, at: round) {
            settings = nil
            return Problem(code: .settingsTimeout, text: "the client did not acknowledge SETTINGS in time")
        }
        guard Self.isTooLong(since: headers?.since, at: round) else { return nil }
        headers = nil
        return Problem(code: .enhanceYourCalm, text: "stream \(stream): the field list is incomplete")
    }

    /// Restarts all timeouts, after a period in which the server did not read from the client.
    mutating func restart(at round: Int) {
        if settings != nil { settings = round }
        headers = nil
    }
}
