package import Store

/// A worker of the fleet, as the status page and `martlet top` show it.
package struct FleetWorker: Sendable, Hashable, Encodable {
    package let name: String
    package let version: String
    package let outputs: [String]
    /// The state that the worker reports: `starting`, `ready`, `not_ready` or `draining`. The value is `silent` if the
    /// worker has stopped reporting, and `unknown` if its version does not report a state.
    package let state: String
    package let obstacle: String?
    package let host: String?
    package let pid: Int?
    package let uptimeSeconds: Int
    package let silentSeconds: Int
    package let rate: Double
    package let lanes: [WorkerReport.LaneReport]
    package let minute: [String: Int]
    package let oldestJobSeconds: Int

    package init(_ member: FleetMember) {
        (name, version, outputs) = (member.name, member.version, member.outputs)
        (uptimeSeconds, silentSeconds) = (member.uptimeSeconds, member.silentSeconds)
        state = member.isSilent ? "silent" : member.report?.state.rawValue ?? "unknown"
        obstacle = member.report?.obstacle
        (host, pid) = (member.report?.host, member.report?.pid)
        rate = member.isSilent ? 0 : member.report?.rate ?? 0
        lanes = member.report?.lanes ?? []
        minute = member.isSilent ? [:] : member.report?.minute ?? [:]
        oldestJobSeconds = member.report?.oldestJobSeconds ?? 0
    }

    package var waiting: Int { lanes.reduce(0) { $0 + $1.waiting } }
    package var open: Int { lanes.reduce(0) { $0 + $1.open } }
    /// The number of pushes that were retried or held in the last minute.
    package var putBack: Int { (minute["retried"] ?? 0) + (minute["held"] ?? 0) }
    /// The state for display, with spaces in place of underscores.
    package var stateWords: String { state.replacing("_", with: " ") }
}
