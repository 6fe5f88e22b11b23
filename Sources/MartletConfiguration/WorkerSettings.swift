package import DeliveryPipeline
import Foundation
import PushModel

/// The keys of a worker and of its limits on jobs.
extension ConfigurationKey {
    private static let limits = PipelineLimits()

    package static let workerName = ConfigurationKey(
        "worker.name", example: "push-7", "name of this worker in events and logs instead of the host's name")
    package static let workerDrainTimeout = ConfigurationKey(
        "worker.drain_timeout", .integer(0...86_400), default: "30", unit: .seconds,
        "time that a [stop](production.md#stop) may take before the worker requeues its jobs")
    package static let workerMaximumInFlight = ConfigurationKey(
        "worker.maximum_in_flight", .integer(1...10_000_000), default: "\(limits.maximumInFlight)", isAdvanced: true,
        isReloadable: true, "maximum recipients [in flight](tenants.md#shares-of-apps)")
    static let workerAppShare = ConfigurationKey(
        "worker.app_share", .integer(1...100), default: "\(limits.appShare)", unit: .percent, isAdvanced: true,
        isReloadable: true, "part of `worker.maximum_in_flight` that active apps [share](tenants.md#shares-of-apps)")
    static let workerUrgentShare = ConfigurationKey(
        "worker.urgent_share", .integer(0...90), default: "\(limits.urgentShare)", unit: .percent, isAdvanced: true,
        isReloadable: true, "part of `worker.maximum_in_flight` reserved for `urgent`")
    static let workerLongestWait = ConfigurationKey(
        "worker.longest_wait", .integer(10...86_400), default: "\(limits.longestWait)", unit: .seconds,
        isAdvanced: true, isReloadable: true,
        "time that a job may wait in a worker before it is requeued, less than the broker's `consumer_timeout`")
    static let jobsDeduplicationWindow = ConfigurationKey(
        "jobs.deduplication_window", .integer(0...30 * 86_400), default: "\(limits.deduplicationWindow)",
        unit: .seconds, isReloadable: true,
        "time for which workers drop [duplicates](publish.md#duplicates), or 0 to send them")
    static let jobsAtMostOnceWindow = ConfigurationKey(
        "jobs.at_most_once_window", .integer(3600...365 * 86_400), default: "\(limits.atMostOnceWindow)",
        unit: .seconds, isReloadable: true,
        "time for which workers remember the ids of [`at_most_once`](publish.md#duplicates) jobs")
    static let jobsChunkSize = ConfigurationKey(
        "jobs.chunk_size", .integer(1...100_000), default: "\(limits.chunkSize)", isAdvanced: true, isReloadable: true,
        "maximum recipients in a [chunk](publish.md#many-recipients), always 500 for `at_most_once`")
    static let jobsMaximumBytes = ConfigurationKey(
        "jobs.maximum_bytes", .integer(1_000...536_870_912), default: "\(limits.maximumJobBytes)", unit: .bytes,
        isAdvanced: true, isReloadable: true, "[maximum size](publish.md#limits) of a job")
    static let jobsMaximumRecipients = ConfigurationKey(
        "jobs.maximum_recipients", .integer(1...10_000_000), default: "\(limits.maximumRecipients)", isAdvanced: true,
        isReloadable: true, "maximum recipients in a job")

    static let worker = [
        workerName, workerDrainTimeout, workerMaximumInFlight, workerAppShare, workerUrgentShare, workerLongestWait,
        jobsDeduplicationWindow, jobsAtMostOnceWindow, jobsChunkSize, jobsMaximumBytes, jobsMaximumRecipients,
    ]
}

extension ConfigurationSource {
    package func pipeline() throws -> PipelineConfiguration {
        let limits = try limits()
        var pipeline = PipelineConfiguration(
            names: try names(), worker: try workerName(), prefetch: try prefetch(),
            maximumOutcomesPerEvent: try integer(.resultsMaximumOutcomes),
            maximumWaitMilliseconds: try integer(.resultsMaximumWait),
            retry: RetryPolicy(
                delays: try retryDelays(), maximumAttempts: limits.maximumAttempts, maximumAge: limits.maximumAge))
        pipeline.limits = limits
        pipeline.provision = try provision()
        pipeline.prefetchBytes = try integer(.amqpPrefetchBytes)
        return pipeline
    }

    private func limits() throws -> PipelineLimits {
        var limits = PipelineLimits()
        limits.maximumInFlight = try integer(.workerMaximumInFlight)
        limits.appShare = try integer(.workerAppShare)
        limits.urgentShare = try integer(.workerUrgentShare)
        limits.longestWait = try integer(.workerLongestWait)
        limits.chunkSize = try integer(.jobsChunkSize)
        limits.maximumJobBytes = try integer(.jobsMaximumBytes)
        limits.maximumRecipients = try integer(.jobsMaximumRecipients)
        limits.deduplicationWindow = try integer(.jobsDeduplicationWindow)
        limits.atMostOnceWindow = try integer(.jobsAtMostOnceWindow)
        limits.maximumAttempts = try integer(.retryMaximumAttempts)
        limits.maximumAge = try integer(.retryMaximumAge)
        limits.jobLog = try jobLog()
        return limits
    }

    /// Returns the configured name of the worker, or the host name if no name is configured.
    package func workerName() throws -> String {
        let name = string(.workerName) ?? ProcessInfo.processInfo.hostName
        guard !name.isEmpty, name.utf8.count <= 100 else {
            throw ConfigurationError(.workerName, "must have 1 to 100 bytes")
        }
        return name
    }
}
