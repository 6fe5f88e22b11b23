import DeliveryPipeline
import Foundation
import TestSupport
import Testing

@Suite struct ReasonTalliesTests {
    @Test func countsDocumentedReasonsOfAllOutputsByName() throws {
        let page = try String(contentsOf: Project.root.appending(path: "docs/errors.md"), encoding: .utf8)
        let section = try #require(page.components(separatedBy: "### All outputs\n").last)
        let rows = section.prefix(through: try #require(section.range(of: "\n### ")).lowerBound).split(separator: "\n")
            .filter { $0.hasPrefix("| `") }
        let reasons = rows.flatMap { $0.split(separator: "|")[0].matches(of: /`(\w+)`/).map { String($0.1) } }
        #expect(reasons.count > 15)
        #expect(reasons.filter { !ReasonTallies.ours.contains($0) } == [], "metrics would count them as other")
    }
}
