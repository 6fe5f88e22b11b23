import ArgumentParser
import PushModel

/// The options that select dead jobs. If several are given, a job must match all of them. If none is given, every job
/// matches.
struct DeadFilter: ParsableArguments {
    @Option(help: "The job's id.")
    var id: String?

    @Option(help: "The job's app.")
    var app: String?

    @Option(help: "A part of the reason.")
    var reason: String?

    @Option(name: .customLong("from-lane"), help: "The lane to which it was published: urgent, normal or bulk.")
    var lane: Lane?

    var isEmpty: Bool { id == nil && app == nil && reason == nil && lane == nil }

    func fits(_ job: DeadJob) -> Bool {
        (id == nil || job.id == id) && (app == nil || job.app == app) && (lane == nil || job.lane == lane)
            && (reason.map { job.reason.contains($0) } ?? true)
    }
}
