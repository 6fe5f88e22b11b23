import PushModel

/// A configuration file with all keys and their defaults. Keys are commented out, unless they are required.
package struct ConfigurationExample: Sendable {
    private let keys: ConfigurationKeys

    package init(_ keys: ConfigurationKeys) {
        self.keys = keys
    }

    /// The lines of the file.
    package var lines: [String] {
        [
            "# All settings. A line that is commented out shows the default or an example. docs/configuration.md has details.",
            "# A worker needs amqp.url, database.url, and keyring.file or keyring.keys.",
        ] + lines(of: KeyTree.parts(of: keys.all), indentedBy: "")
    }

    private func lines(of section: [KeyTree], indentedBy indentation: String) -> [String] {
        section.flatMap { tree in
            switch tree {
            case .section(let name, let parts):
                ["\(indentation)\(name):"] + lines(of: parts, indentedBy: indentation + "  ")
            case .key(let name, let key):
                ["\(indentation)# \(comment(on: key))", "\(indentation)\(assignment(to: name, key))"]
            }
        }
    }

    private func comment(on key: ConfigurationKey) -> String {
        let notes =
            Self.values(of: key.setting.kind)
            + (key.isSecret ? ["\(key.environmentVariable)_FILE can name a file with it"] : [])
        return key.explanation + (notes.isEmpty ? "" : " (\(notes.joined(separator: "; ")))")
    }

    private func assignment(to name: String, _ key: ConfigurationKey) -> String {
        let value = key.defaultValue ?? key.setting.example ?? ""
        return "\(key.isRequired ? "" : "# ")\(name): \(Self.isText(key.setting.kind) ? Self.quoted(value) : value)"
    }

    /// Returns a note that lists the valid values of a kind, or an empty array if there is nothing to list.
    private static func values(of kind: OutputSetting.Kind) -> [String] {
        switch kind {
        case .integer(let range): ["\(range.lowerBound) to \(range.upperBound)"]
        case .choice(let choices): [choices.joinedWithOr]
        case .text, .endpoint: []
        }
    }

    private static func isText(_ kind: OutputSetting.Kind) -> Bool {
        switch kind {
        case .integer, .boolean: false
        case .text, .choice, .endpoint: true
        }
    }

    private static func quoted(_ text: String) -> String {
        "\"\(text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\""
    }
}
