/// The judge of cancelled jobs. They must not be sent after workers have learned of the cancellation.
enum CancellationJudge {
    /// The maximum time from a worker's write to the arrival of the request on a busy machine, in milliseconds.
    private static let onItsWay: Int64 = 2_000

    static func findings(_ history: History, _ disturbances: Disturbances) -> [Finding] {
        guard let cancelled = history.job.cancelled else { return [] }
        return history.job.isCancelledInTime(disturbances)
            ? begun(history) : goneOn(history, since: cancelled, disturbances)
    }

    /// Returns the findings for a recipient whose job was cancelled well before it was due.
    private static func begun(_ history: History) -> [Finding] {
        var findings: [Finding] = []
        if !history.sightings.isEmpty {
            findings.append(Finding(.cancelledStay, history.recipient, "a request arrived long after the cancellation"))
        }
        for outcome in history.distinct where outcome.kind != "failed" || outcome.reason != "Cancelled" {
            let text = "\(outcome.kind) (\(outcome.reason ?? "")), although the job was cancelled"
            findings.append(Finding(.cancelledStay, history.recipient, text))
        }
        return findings
    }

    /// Returns the findings for a recipient whose job was cancelled while it was in progress. Requests that were
    /// already on the wire may arrive.
    private static func goneOn(_ history: History, since cancelled: Int64, _ disturbances: Disturbances) -> [Finding] {
        history.sightings.filter { sighting in
            sighting.what == .arrived && disturbances.isKnown(since: cancelled, at: sighting.at - onItsWay)
                && !disturbances.mayHoldUp(history.job.output, from: cancelled, to: sighting.at)
        }.map { Finding(.cancelledStop, history.recipient, "a request \($0.at - cancelled) ms after the cancellation") }
    }
}
