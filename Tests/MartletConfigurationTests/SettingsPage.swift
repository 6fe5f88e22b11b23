import MartletConfiguration
import PushModel

/// The derived parts of docs/configuration.md.
enum SettingsPage {
    static func table(of keys: [ConfigurationKey]) -> [String] {
        ["| key | default | values | meaning |", "|---|---|---|---|"]
            + keys.map { "| `\($0.rawValue)` | \(standard(of: $0)) | \(values(of: $0)) | \($0.setting.help) |" }
    }

    /// Returns one line for each section of the configuration file.
    static func list(of keys: [ConfigurationKey]) -> [String] {
        var sections: [(name: Substring, keys: [String])] = []
        for key in keys {
            let name = key.rawValue.prefix { $0 != "." }
            if sections.last?.name != name { sections.append((name, [])) }
            sections[sections.count - 1].keys.append("`\(key.rawValue)`")
        }
        return sections.map { "- \($0.keys.joined(separator: ", "))" }
    }

    private static func standard(of key: ConfigurationKey) -> String {
        guard let standard = key.defaultValue else { return key.isRequired ? "required" : "none" }
        return if case .integer = key.setting.kind { standard } else { "`\(standard)`" }
    }

    private static func values(of key: ConfigurationKey) -> String {
        let unit = key.setting.unit?.rawValue
        return switch key.setting.kind {
        case .integer(let range): "\(range.lowerBound) to \(range.upperBound)" + (unit.map { " \($0)" } ?? "")
        case .choice(let choices): choices.map { "`\($0)`" }.joinedWithOr
        case .endpoint: "`host:port`"
        case .text: key.isPath ? "path" : unit ?? "text"
        }
    }
}
