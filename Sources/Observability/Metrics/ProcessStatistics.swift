import Foundation
package import Metering

/// The resource usage of this process, as the operating system reports it.
package struct ProcessStatistics: Sendable, Hashable {
    package var cpuMilliseconds = 0
    package var threads = 0
    package var virtualBytes = 0
    package var residentBytes = 0
    /// The start of the process, in milliseconds since 1970.
    package var start = 0
    package var openDescriptors = 0
    package var maximumDescriptors = 0

    /// Parses the resource usage, or returns `nil` if the text is not valid.
    ///
    /// - Parameters:
    ///   - stat: the content of `/proc/self/stat` (proc_pid_stat(5)).
    ///   - boot: the start of the system, in seconds since 1970.
    ///   - ticks: the number of clock ticks per second, which are the unit of times in `stat`.
    package init?(stat: String, boot: Int, ticks: Int, pageBytes: Int) {
        // The second field is the program's name in parentheses, and the name may contain parentheses itself.
        guard let end = stat.lastIndex(of: ")"), ticks > 0 else { return nil }
        let fields = stat[end...].dropFirst().split(separator: " ").map { Int($0) ?? 0 }
        guard fields.count > 21 else { return nil }
        cpuMilliseconds = (fields[11] + fields[12]) * 1000 / ticks
        threads = fields[17]
        start = boot * 1000 + fields[19] * 1000 / ticks
        virtualBytes = fields[20]
        residentBytes = fields[21] * pageBytes
    }

    /// Returns the current resource usage, or `nil` if `/proc/self/stat` can't be read.
    package static func read() -> ProcessStatistics? {
        guard let stat = try? String(contentsOfFile: "/proc/self/stat", encoding: .utf8) else { return nil }
        var statistics = ProcessStatistics(
            stat: stat, boot: bootTime, ticks: sysconf(Int32(_SC_CLK_TCK)), pageBytes: sysconf(Int32(_SC_PAGESIZE)))
        statistics?.openDescriptors = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
        var limit = rlimit()
        if getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 {
            statistics?.maximumDescriptors = Int(clamping: limit.rlim_cur)
        }
        return statistics
    }

    private static let bootTime: Int = {
        let lines = (try? String(contentsOfFile: "/proc/stat", encoding: .utf8))?.split(separator: "\n") ?? []
        return lines.first { $0.hasPrefix("btime ") }.flatMap { Int($0.dropFirst("btime ".count)) } ?? 0
    }()

    package func add(to page: inout MetricPage) {
        page.add(.cpuSeconds, cpuMilliseconds)
        page.add(.residentBytes, residentBytes)
        page.add(.virtualBytes, virtualBytes)
        page.add(.openDescriptors, openDescriptors)
        page.add(.maximumDescriptors, maximumDescriptors)
        page.add(.threads, threads)
        page.add(.processStart, start)
    }
}
