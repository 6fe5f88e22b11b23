import ConfigurationTestSupport
import Foundation
import MartletConfiguration
import PushModel
import TestSupport
import Testing

/// The parts of documents and of the Helm chart that are derived from the declarations of the settings.
@Suite struct DerivedFilesTests {
    /// The command that writes the derived parts.
    private static let remedy = "MARTLET_TEST_WRITE=1 scripts/unit MartletConfiguration --filter DerivedFilesTests"

    @Test func pageListsSettings() throws {
        let keys = ConfigurationKey.allCases
        try check("docs/configuration.md") { page in
            try page.replaceBlock(
                after: "## Settings", startingWith: "|",
                with: SettingsPage.table(of: keys.filter { !$0.setting.isAdvanced }))
            try page.replaceBlock(
                after: "## Settings for special cases", startingWith: "|",
                with: SettingsPage.table(of: keys.filter(\.setting.isAdvanced)))
            try page.replaceBlock(
                after: "## Reload", startingWith: "- ", with: SettingsPage.list(of: keys.filter(\.isReloadable)))
        }
    }

    @Test func chartAcceptsSettings() throws {
        try check("deploy/chart/values.schema.json") { schema in
            try schema.replaceObject("    \"config\": {", with: ChartSchema.lines(of: ConfigurationKey.allCases))
        }
    }

    /// Checks that deriving the parts of a file changes nothing, or writes the file if `MARTLET_TEST_WRITE` is set.
    private func check(_ path: String, derive: (inout DerivedFile) throws -> Void) throws {
        let url = Project.root.appending(path: path)
        let file = DerivedFile(try String(contentsOf: url, encoding: .utf8))
        var derived = file
        try derive(&derived)
        if ProcessInfo.processInfo.environment["MARTLET_TEST_WRITE"] != nil {
            try Data(derived.text.utf8).write(to: url)
        } else {
            let difference = file.firstDifference(from: derived)
            #expect(difference == nil, "\(path) does not match the settings in the code; run \(Self.remedy)")
        }
    }
}
