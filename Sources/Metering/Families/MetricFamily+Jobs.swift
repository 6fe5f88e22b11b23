extension MetricFamily {
    static let jobs = [
        consuming, publishing, jobsReceived, jobAge, jobStates, jobsWaiting, jobsOpen, oldestOpenJob,
        messagesRefused,
        events, outcomesOpen, quotaWorkers, problem,
    ]

    package static let consuming = Self("consuming", .gauge, "1 while the worker consumes jobs.")
    package static let publishing = Self("publishing", .gauge, "1 while the worker can publish messages.")
    package static let jobsReceived = Self(
        "jobs_received_total", .counter, "Deliveries of jobs by lane, including redelivered and moved jobs.",
        labels: ["lane"])
    package static let jobAge = Self(
        "job_age_seconds", .histogram(jobBounds),
        "Time from a job's publication to its start, in seconds, without retries.", labels: ["lane"], scale: 1000)
    package static let jobStates = Self(
        "jobs_total", .counter, "Jobs by state, such as accepted, acknowledged or rejected.", labels: ["state"])
    package static let jobsWaiting = Self("jobs_waiting", .gauge, "Jobs received and not started.")
    package static let jobsOpen = Self("jobs_open", .gauge, "Jobs started and not acknowledged.")
    package static let oldestOpenJob = Self(
        "oldest_open_job_timestamp_seconds", .gauge,
        "Time at which the oldest open job was received, in Unix seconds, or 0 if no job is open.",
        labels: ["lane"], scale: 1000)
    package static let messagesRefused = Self(
        "messages_refused_total", .counter, "Messages that the broker refused, by exchange.",
        labels: ["exchange"])
    package static let events = Self(
        "events_total", .counter,
        "Result events that were not published at once: repeated, held in a delay queue, or dead-lettered.",
        labels: ["state"])
    package static let outcomesOpen = Self(
        "outcomes_open", .gauge,
        "Recipients of open jobs whose outcome is not confirmed, including pushes on the wire.")
    package static let quotaWorkers = Self(
        "quota_workers", .gauge, "Workers that share a provider's quota, including this worker.",
        labels: ["quota"])
    package static let problem = Self(
        "problem", .gauge, "1 for each open problem on the status page.",
        labels: ["kind", "party", "severity", "subject"])
}
