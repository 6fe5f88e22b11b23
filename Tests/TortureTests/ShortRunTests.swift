import Foundation
import Testing
import TortureRun

/// The short form of `make torture`.
@Suite(.enabled(if: ProcessInfo.processInfo.environment["MARTLET_TEST_AMQP_URL"] != nil, "run by make test"))
struct ShortRunTests {
    @Test func nothingIsLostAndNothingIsStuck() async throws {
        let run = TortureRun(
            seed: 1, profile: .short, instance: "torture-\(ProcessInfo.processInfo.processIdentifier)")
        let result = try await run.run()
        let broken = Set(result.verdict.findings.map(\.invariant))
        #expect(broken.isEmpty, "\(result.report(of: run))")
        #expect(!result.record.faults.isEmpty && result.verdict.tally.recipients > 1_000)
    }
}
