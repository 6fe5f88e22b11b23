import Foundation
import Logging
import OutputConformance
import PushModel
import Store
import ThirdPartyOutput

extension OutputHarness {
    /// A harness for the example of a third-party output. Its provider is a file. A folder in place of the file makes
    /// all writes fail.
    static let logbook = OutputHarness("logbook", samples: OutputSamples(dead: ["ashore-7"])) {
        let file = FileManager.default.temporaryDirectory.appending(path: "logbook-\(UUID().uuidString)").path
        let plugin = LogbookPlugin()
        let context = OutputContext(
            settings: OutputSettings(plugin.settings) { $0 == "file" ? file : nil },
            tokens: LocalTokenStore(clock: { .now }), clock: { .now },
            logger: Logger(label: "logbook") { _ in SwiftLogNoOpLogHandler() })
        return OutputSetup(
            plugin: plugin, output: try plugin.make(context),
            behaviours: [
                .accepts: { try? FileManager.default.removeItem(atPath: file) },
                .away: { try FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: false) },
            ],
            arrivals: { recipients(in: file) }, stop: { try? FileManager.default.removeItem(atPath: file) })
    }

    private static func recipients(in file: String) -> [String: Int] {
        struct Line: Decodable { let to: String }
        let text = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
        let lines = text.split(separator: "\n").compactMap { try? JSONDecoder().decode(Line.self, from: Data($0.utf8)) }
        return lines.reduce(into: [:]) { $0[$1.to, default: 0] += 1 }
    }
}
