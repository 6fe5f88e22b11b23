extension MetricFamily {
    static let process = [
        buildInfo, startTime, logMessages, logDropped, spans, cpuSeconds, residentBytes, virtualBytes, openDescriptors,
        maximumDescriptors, threads, processStart,
    ]

    package static let buildInfo = Self(
        "build_info", .info, "Version, commit and compiler of this program.",
        labels: ["version", "commit", "swift"])
    package static let startTime = Self("start_time_seconds", .gauge, "Start time in Unix seconds.", scale: 1000)
    package static let logMessages = Self(
        "log_messages_total", .counter, "Log lines that were written or dropped, by level.", labels: ["level"])
    package static let logDropped = Self(
        "log_dropped_total", .counter, "Log lines dropped because the reader was too slow or a write failed.")

    package static let spans = Self(
        "spans_total", .counter, "Trace spans by result: sent, dropped or refused.", labels: ["result"])

    // MARK: Standard process metrics

    package static let cpuSeconds = Self(
        "process_cpu_seconds_total", .counter, "CPU time in user and system mode, in seconds.", scale: 1000, prefix: "")
    package static let residentBytes = Self(
        "process_resident_memory_bytes", .gauge, "Resident memory in bytes.", prefix: "")
    package static let virtualBytes = Self(
        "process_virtual_memory_bytes", .gauge, "Virtual memory in bytes.", prefix: "")
    package static let openDescriptors = Self("process_open_fds", .gauge, "Open file descriptors.", prefix: "")
    package static let maximumDescriptors = Self(
        "process_max_fds", .gauge, "Maximum number of open file descriptors.", prefix: "")
    package static let threads = Self("process_threads", .gauge, "Number of threads.", prefix: "")
    package static let processStart = Self(
        "process_start_time_seconds", .gauge, "Start time of the process, in Unix seconds.", scale: 1000, prefix: "")
}
