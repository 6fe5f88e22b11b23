extension MetricFamily {
    static let process = [
        buildInfo, startTime, logMessages, logDropped, spans, cpuSeconds, residentBytes, virtualBytes, openDescriptors,
        maximumDescriptors, threads, processStart,
    ]

    package static let buildInfo = Self(
        "build_info", .info, "Which version this is, of which commit, and what it was built with.",
        labels: ["version", "commit", "swift"])
    package static let startTime = Self("start_time_seconds", .gauge, "When the worker started.", scale: 1000)
    package static let logMessages = Self(
        "log_messages_total", .counter, "Lines written to the log.", labels: ["level"])
    package static let logDropped = Self(
        "log_dropped_total", .counter, "Log lines dropped: the reader was too slow or the file refused them.")

    package static let spans = Self(
        "spans_total", .counter, "Spans of traces, by what became of them: sent, dropped, refused.", labels: ["result"])

    // MARK: Standard process metrics

    package static let cpuSeconds = Self(
        "process_cpu_seconds_total", .counter, "CPU time, in user and system mode.", scale: 1000, prefix: "")
    package static let residentBytes = Self(
        "process_resident_memory_bytes", .gauge, "Memory that is in RAM.", prefix: "")
    package static let virtualBytes = Self("process_virtual_memory_bytes", .gauge, "Addresses in use.", prefix: "")
    package static let openDescriptors = Self("process_open_fds", .gauge, "File descriptors in use.", prefix: "")
    package static let maximumDescriptors = Self(
        "process_max_fds", .gauge, "File descriptors that there may be.", prefix: "")
    package static let threads = Self("process_threads", .gauge, "Threads.", prefix: "")
    package static let processStart = Self(
        "process_start_time_seconds", .gauge, "When the process started.", scale: 1000, prefix: "")
}
