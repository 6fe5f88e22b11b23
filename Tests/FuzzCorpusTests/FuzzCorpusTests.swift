import Foundation
import FuzzTargets
import TestSupport
import Testing

/// Every input that fuzzing has found worth keeping, through the same entry functions.
@Suite struct FuzzCorpusTests {
    @Test(arguments: FuzzTarget.allCases) func keptInputsBreakNoRule(of target: FuzzTarget) throws {
        let corpus = try inputs(in: "Corpus/\(target.rawValue)")
        #expect(corpus.count > 20, "the corpus of \(target.rawValue) is missing")
        // Found: what once broke a rule. Not every target has had one.
        for input in corpus + ((try? inputs(in: "Found/\(target.rawValue)")) ?? []) {
            let violation = try Data(contentsOf: input).withUnsafeBytes { target.violation(in: $0) }
            #expect(violation == nil, "\(input.lastPathComponent)")
        }
    }

    private func inputs(in folder: String) throws -> [URL] {
        try FileManager.default.contentsOfDirectory(
            at: Project.root.appending(path: "Fuzzing/\(folder)"), includingPropertiesForKeys: nil)
    }

    @Test(arguments: FuzzTarget.allCases) func nothingAtAllBreaksNoRule(of target: FuzzTarget) {
        #expect(target.violation(in: UnsafeRawBufferPointer(start: nil, count: 0)) == nil)
    }
}
