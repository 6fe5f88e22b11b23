import MartletConfiguration
import PushModel

/// The schema of `config` in the values of the Helm chart.
enum ChartSchema {
    /// Keys that are not values of the chart, because the chart sets them itself. Secrets are not values either.
    private static let keysOfChart: Set = ["keyring.file", "http.listen", "http.token_file", "worker.name"]

    static func lines(of keys: [ConfigurationKey]) -> [String] {
        let values = keys.filter { !$0.isSecret && !keysOfChart.contains($0.rawValue) }
        return object("config", KeyTree.parts(of: values), indentation: "    ")
    }

    private static func object(_ name: String, _ parts: [KeyTree], indentation: String) -> [String] {
        let inner = indentation + "    "
        let members = parts.map { part in
            switch part {
            case .key(let name, let key): ["\(inner)\"\(name)\": {\(schema(of: key))}"]
            case .section(let name, let parts): object(name, parts, indentation: inner)
            }
        }
        return [
            "\(indentation)\"\(name)\": {", "\(indentation)  \"type\": \"object\",",
            "\(indentation)  \"additionalProperties\": false,", "\(indentation)  \"properties\": {",
        ] + commaSeparated(members) + ["\(indentation)  }", "\(indentation)}"]
    }

    /// Returns the lines of all members, with a comma after each member except the last.
    private static func commaSeparated(_ members: [[String]]) -> [String] {
        members.dropLast().flatMap { $0.dropLast() + [($0.last ?? "") + ","] } + (members.last ?? [])
    }

    private static func schema(of key: ConfigurationKey) -> String {
        switch key.setting.kind {
        case .boolean: #""type": "boolean""#
        case .integer(let range):
            #""type": "integer", "minimum": \#(range.lowerBound), "maximum": \#(range.upperBound)"#
        case .choice(let choices): #""enum": [\#(choices.map { "\"\($0)\"" }.joined(separator: ", "))]"#
        case .text, .endpoint: key.pattern.map(schema(matching:)) ?? #""type": "string""#
        }
    }

    /// Returns the schema of a text with a pattern. The schema allows integers if the pattern does, because YAML reads
    /// such a text as an integer.
    private static func schema(matching pattern: String) -> String {
        let acceptsNumber = (try? Regex("(\(pattern))").wholeMatch(in: "5")) != nil
        return #""type": \#(acceptsNumber ? #"["string", "integer"]"# : #""string""#), "pattern": "^(\#(pattern))$""#
    }
}
