import FleetSimulation
import Foundation
import Testing

/// Whether the elements of a dictionary have the same order in each process. Otherwise, a seed does not always
/// produce the same history.
private let isOrderFixed = ProcessInfo.processInfo.environment["SWIFT_DETERMINISTIC_HASHING"] != nil

@Suite(.enabled(if: isOrderFixed, "set SWIFT_DETERMINISTIC_HASHING=1, as scripts/test does"))
struct HistoryTests {
    /// The seeds of histories that broke a promise before the defect was corrected.
    static let corrected: [UInt64] = [
        // An app with few pushes waited an hour because pushes of another app with the same credential were refused.
        9, 13, 24, 36, 54,
    ]

    @Test(arguments: corrected)
    func keepsPromises(seed: UInt64) {
        let verdict = History(seed: seed).run().verdict
        #expect(verdict.violations.isEmpty, "seed \(seed): \(verdict)")
    }

    @Test(arguments: [3, 19] as [UInt64])
    func repeatsHistoryOfSameSeed(seed: UInt64) {
        var lines: [[String]] = [[], []]
        for run in lines.indices { _ = History(seed: seed).run { lines[run].append($0) } }
        #expect(!lines[0].isEmpty && lines[0].count == lines[1].count)
        let different = zip(lines[0], lines[1]).first { $0 != $1 }
        #expect(different == nil, "\(different?.0 ?? "")\n\(different?.1 ?? "")")
    }
}
