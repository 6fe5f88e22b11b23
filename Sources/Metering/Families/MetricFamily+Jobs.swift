extension MetricFamily {
    static let jobs = [
        consuming, publishing, jobsReceived, jobAge, jobStates, jobsWaiting, jobsOpen, oldestOpenJob,
        messagesRefused,
        events, outcomesOpen, quotaWorkers, problem,
    ]

    package static let consuming = Self("consuming", .gauge, "1 while jobs are consumed.")
    package static let publishing = Self("publishing", .gauge, "1 while results can be published.")
    package static let jobsReceived = Self(
        "jobs_received_total", .counter, "Deliveries of jobs, with those that came again or were moved.",
        labels: ["lane"])
    package static let jobAge = Self(
        "job_age_seconds", .histogram(jobBounds),
        "From a job's publication to its start, where that is known; without those that come back for another attempt.",
        labels: ["lane"], scale: 1000)
    package static let jobStates = Self(
        "jobs_total", .counter, "Jobs by what was done with them.", labels: ["state"])
    package static let jobsWaiting = Self("jobs_waiting", .gauge, "Jobs received and not started yet.")
    package static let jobsOpen = Self("jobs_open", .gauge, "Jobs started and not acknowledged.")
    package static let oldestOpenJob = Self(
        "oldest_open_job_timestamp_seconds", .gauge,
        "When the job was received that has waited longest for its acknowledgement; 0 while there is none.",
        labels: ["lane"], scale: 1000)
    package static let messagesRefused = Self(
        "messages_refused_total", .counter, "Messages that the broker would not take, by exchange.",
        labels: ["exchange"])
    package static let events = Self(
        "events_total", .counter,
        "Events that were not told at once: repeated, held in a delay queue, or given up into the dead-letter queue.",
        labels: ["state"])
    package static let outcomesOpen = Self(
        "outcomes_open", .gauge, "Outcomes not yet safe in the broker or the database.")
    package static let quotaWorkers = Self(
        "quota_workers", .gauge, "Workers that share a provider's quota with this one, which counts.",
        labels: ["quota"])
    package static let problem = Self(
        "problem", .gauge, "1 for each open problem that the status page lists.",
        labels: ["kind", "party", "severity", "subject"])
}
