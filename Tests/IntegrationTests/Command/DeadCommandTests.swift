import Contract
import DeliveryPipeline
import Foundation
import PushModel
import TestSupport
import TestTraits
import Testing

@Suite(.needsServers)
struct DeadCommandTests {
    private static let (known, unknown) = ("com.example.shop", "com.example.late")

    @Test func showsReplaysAndDropsDeadJobs() async throws {
        try await Installation.with { installation in
            try await installation.addTokenApp(Self.known)
            try await installation.withWorker(["http.listen": "127.0.0.1:\(try freePort())"]) { worker in
                let late = (1...3).map { JobText("late-\($0)", app: Self.unknown, to: [Token.random()]) }
                try await installation.publish(late, lane: .urgent)
                try await installation.publish([
                    JobText("odd", app: Self.known, to: [Token.random()], more: #","priorty":5"#)
                ])
                try await eventually("\(installation.results.rejections.count)\(worker.errors)") {
                    installation.results.rejections.count == 4
                }
                let listed = try await installation.martlet(["dead", "list", "--app", Self.unknown, "--json"])
                #expect(listed.output.contains("late-3") && !listed.output.contains("odd"), "\(listed)")
                #expect(listed.errors.isEmpty, "\(listed)")
                for (limit, isCut) in [(2, true), (3, false)] {
                    let some = try await installation.martlet([
                        "dead", "list", "--app", Self.unknown, "--limit", "\(limit)",
                    ])
                    #expect(
                        some.errors.contains("more jobs match; to list more than 2, pass --limit") == isCut, "\(some)")
                    #expect(some.output.split(separator: "\n").count == limit + 1, "\(some)")
                }
                let shown = try await installation.martlet(["dead", "show", "--reason", "priorty"])
                #expect(shown.status == 0 && shown.output.contains(#""id":"odd""#), "\(shown)")
                #expect(try await installation.martlet(["dead", "show", "--id", "nothing"]).status == 1)

                let planned = try await installation.martlet(["dead", "replay", "--app", Self.unknown, "--dry-run"])
                #expect(planned.output == "would replay 3 jobs\n", "\(planned)")
                try await installation.addTokenApp(Self.unknown)
                try await eventually("the worker has read the new app: \(worker.errors)") {
                    let replayed = try await installation.martlet(["dead", "replay", "--id", "late-1"])
                    #expect(replayed.status == 0 && replayed.output.hasPrefix("replayed "), "\(replayed)")
                    return installation.results.tally["sent"] == 1
                }
                let rest = try await installation.martlet([
                    "dead", "replay", "--app", Self.unknown, "--from-lane", "urgent",
                ])
                #expect(rest.output == "replayed 2 jobs\n", "\(rest)")
                try await installation.results.wait(for: 3)
                #expect(installation.results.tally == ["sent": 3])

                #expect(try await installation.martlet(["dead", "drop"]).status == 64, "no jobs are selected")
                let dropped = try await installation.martlet(["dead", "drop", "--reason", "priorty"])
                #expect(dropped.output == "dropped 1 job\n", "\(dropped)")
                try await eventually("the dead-letter queue is empty") {
                    try await installation.broker.messages(in: installation.names.dead).isEmpty
                }
            }
        }
    }
}
