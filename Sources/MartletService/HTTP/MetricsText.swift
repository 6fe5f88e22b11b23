package import DeliveryPipeline
package import PushModel
package import Store

/// What a worker has counted, in Prometheus' text format (version 0.0.4).
package enum MetricsText {
    package static func render(
        _ counts: PipelineCounts, refusals: [Refusal] = [], badTokens: [BadTokens] = [],
        credentials: [CredentialSummary] = [], accountNames: [String: String] = [:],
        fleet: FleetView = FleetView(), now: Timestamp
    ) -> String {
        var text = ""
        func metric(_ name: String, _ kind: String, _ help: String, _ samples: [(labels: String, value: Int)]) {
            text += "# HELP martlet_\(name) \(help)\n# TYPE martlet_\(name) \(kind)\n"
            for sample in samples { text += "martlet_\(name)\(sample.labels) \(sample.value)\n" }
        }
        metric(
            "outcomes_total", "counter", "Outcomes by kind, as in the events.",
            counts.outcomes.sorted { $0.key < $1.key }.map { (labels: "{kind=\"\($0.key)\"}", value: $0.value) })
        metric(
            "jobs_total", "counter", "Jobs by what was done with them.",
            [
                (labels: "{state=\"accepted\"}", value: counts.jobsAccepted),
                (labels: "{state=\"rejected\"}", value: counts.jobsRejected),
                (labels: "{state=\"held\"}", value: counts.jobsHeld),
                (labels: "{state=\"scattered\"}", value: counts.jobsSplit),
                (labels: "{state=\"scheduled\"}", value: counts.jobsScheduled),
                (labels: "{state=\"duplicate\"}", value: counts.jobsDuplicate),
                (labels: "{state=\"overflowed\"}", value: counts.jobsOverflowed),
                (labels: "{state=\"suspected\"}", value: counts.jobsSuspected),
                (labels: "{state=\"acknowledged\"}", value: counts.jobsAcknowledged),
            ])
        metric("retries_total", "counter", "Pushes put back for another attempt.", [("", counts.retries)])
        metric(
            "held_total", "counter", "Pushes put back because their credential is refused.", [("", counts.pushesHeld)])
        metric(
            "given_back_total", "counter",
            "Pushes put back unsent: the worker stopped, or their credential was retired.",
            [("", counts.pushesPutBack)])
        metric(
            "messages_refused_total", "counter", "Messages that the broker would not take, by exchange.",
            counts.messagesRefused.sorted { $0.key < $1.key }.map {
                (labels: Self.text(of: [("exchange", $0.key)]), value: $0.value)
            })
        metric(
            "events_total", "counter",
            "Events that were not told at once: repeated, held in a delay queue, or given up into the dead-letter queue.",
            [
                (labels: "{state=\"repeated\"}", value: counts.eventsRepeated),
                (labels: "{state=\"held\"}", value: counts.eventsHeld),
                (labels: "{state=\"dead\"}", value: counts.eventsDead),
            ])
        metric("tokens_marked_total", "counter", "Device tokens marked dead.", [("", counts.tokensMarked)])
        metric(
            "suppression_lookups_total", "counter", "Pushes whose token was looked up before sending, by the answer.",
            [
                (labels: "{answer=\"dead\"}", value: counts.lookUpsDead),
                (labels: "{answer=\"live\"}", value: counts.lookUpsLive),
                (labels: "{answer=\"none\"}", value: counts.lookUpsFailed),
            ])
        metric("suppression_tokens", "gauge", "Dead tokens known in memory.", [("", counts.suppressionTokens)])
        metric("suppression_bytes", "gauge", "Memory they take.", [("", counts.suppressionBytes)])
        metric("jobs_waiting", "gauge", "Jobs received and not started yet.", [("", counts.jobsWaiting)])
        metric("jobs_open", "gauge", "Jobs started and not acknowledged.", [("", counts.jobsOpen)])
        metric(
            "oldest_open_job_seconds", "gauge",
            "How long the job has been here that has waited longest for its acknowledgement.",
            [("", counts.oldestJobSeconds)])
        metric(
            "outcomes_open", "gauge", "Outcomes not yet safe in the broker or the database.",
            [("", counts.obligationsOpen)])
        metric(
            "bad_tokens_total", "counter", "Device tokens that a provider called bad, by its reason.",
            badTokens.map { (labels: labels($0), value: $0.count) }.sorted { $0.labels < $1.labels })
        metric(
            "refused", "gauge",
            "1 while a provider refuses a credential, for one topic or for all, or most device tokens of an app.",
            refusals.map { (labels: labels($0), value: 1) }.sorted { $0.labels < $1.labels })
        metric(
            "credential_days_left", "gauge", "Whole days until a credential expires; negative when it has.",
            credentials.compactMap { credential in
                credential.daysLeft(at: now).map { days in
                    (labels: labels(credential, accountNames[credential.output] ?? "account"), value: days)
                }
            }.sorted { $0.labels < $1.labels })
        metric(
            "fleet_known", "gauge", "1 while the other workers know of this one, 0 while each counts itself only.",
            [("", fleet.isKnown ? 1 : 0)])
        metric(
            "quota_workers", "gauge", "Workers that share a provider's quota with this one, which counts.",
            fleet.quotas.sorted { $0.key < $1.key }.map {
                (labels: Self.text(of: [("quota", $0.key)]), value: $0.value)
            })
        metric("consuming", "gauge", "1 while jobs are consumed.", [("", counts.isConsuming ? 1 : 0)])
        metric("publishing", "gauge", "1 while results can be published.", [("", counts.isPublishing ? 1 : 0)])
        return text
    }

    private static func labels(_ refusal: Refusal) -> String {
        text(of: [
            ("credential", refusal.credential), ("environment", refusal.environment.rawValue),
            ("topic", refusal.topic ?? ""), ("reason", refusal.reason),
        ])
    }

    private static func labels(_ bad: BadTokens) -> String {
        text(of: [("app", bad.app), ("environment", bad.environment.rawValue), ("reason", bad.reason)])
    }

    private static func labels(_ credential: CredentialSummary, _ accountName: String) -> String {
        text(of: [("credential", credential.id), ("label", credential.label), (accountName, credential.account)])
    }

    private static func text(of labels: [(name: String, value: String)]) -> String {
        "{\(labels.map { "\($0.name)=\"\(escaped($0.value))\"" }.joined(separator: ","))}"
    }

    /// A label's value, as the format asks.
    private static func escaped(_ value: String) -> String {
        value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
    }
}
