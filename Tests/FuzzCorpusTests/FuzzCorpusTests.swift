import Foundation
import FuzzTargets
import TestSupport
import Testing

/// Tests that run each fuzz target with its stored inputs.
@Suite struct FuzzCorpusTests {
    @Test(arguments: FuzzTarget.allCases) func keepsAllRulesForKeptInputs(of target: FuzzTarget) throws {
        let corpus = try inputs(in: "Corpus/\(target.rawValue)")
        #expect(corpus.count > 20, "the corpus of \(target.rawValue) is missing")
        // The folder Found holds inputs that once violated a rule. Not every target has one.
        for input in corpus + ((try? inputs(in: "Found/\(target.rawValue)")) ?? []) {
            let violation = try Data(contentsOf: input).withUnsafeBytes { target.violation(in: $0) }
            #expect(violation == nil, "\(input.lastPathComponent)")
        }
    }

    private func inputs(in folder: String) throws -> [URL] {
        try FileManager.default.contentsOfDirectory(
            at: Project.root.appending(path: "Tests/Fuzzing/\(folder)"), includingPropertiesForKeys: nil)
    }

    @Test(arguments: FuzzTarget.allCases) func keepsAllRulesForEmptyInput(of target: FuzzTarget) {
        #expect(target.violation(in: UnsafeRawBufferPointer(start: nil, count: 0)) == nil)
    }
}
