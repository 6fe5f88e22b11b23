import Foundation
import TestTraits
import Testing
import TortureRun

/// The short form of `make torture`.
@Suite(.needsBroker)
struct ShortRunTests {
    @Test func keepsAllInvariantsInShortRun() async throws {
        let run = TortureRun(
            seed: 1, profile: .short, instance: "torture-\(ProcessInfo.processInfo.processIdentifier)")
        let result = try await run.run()
        let broken = Set(result.verdict.findings.map(\.invariant))
        #expect(broken.isEmpty, "\(result.report(of: run))")
        #expect(!result.record.faults.isEmpty && result.verdict.tally.recipients > 1_000)
    }
}
