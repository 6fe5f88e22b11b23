import Foundation
import Yams

/// A reader of the configuration file, which is a YAML mapping. The names of nested mappings, joined by dots, form a
/// configuration key. A relative path in the file is resolved against the file's directory.
///
/// The file may contain passwords, so errors quote only the names of keys.
package enum ConfigurationFile {
    /// Returns a sentence that names the configuration file, or explains how to name one.
    package static func place(of path: String?) -> String {
        path.map { "the configuration file is \($0)" }
            ?? "no configuration file was read: --config or MARTLET_CONFIG names one"
    }

    package static func read(_ path: String, _ keys: ConfigurationKeys) throws -> [ConfigurationKey: String] {
        let text: String
        do {
            text = try String(contentsOfFile: path, encoding: .utf8)
        } catch {
            throw ConfigurationError("cannot read the configuration file \(path): \(error.localizedDescription)")
        }
        return try values(in: text, of: path, keys)
    }

    package static func values(
        in text: String, of path: String, _ keys: ConfigurationKeys
    ) throws -> [ConfigurationKey: String] {
        var values: [ConfigurationKey: String] = [:]
        do {
            guard let root = try Yams.compose(yaml: text), root.null == nil else { return [:] }
            guard root.mapping != nil else {
                throw ConfigurationError("configuration file \(path): must be a mapping of keys to values")
            }
            try collect(root, named: "", from: path, keys, into: &values)
        } catch let error as YamlError {
            throw ConfigurationError("configuration file \(path): \(error.withoutText)")
        }
        return values
    }

    private static func collect(
        _ node: Node, named name: String, from path: String, _ keys: ConfigurationKeys,
        into values: inout [ConfigurationKey: String]
    ) throws {
        if let mapping = node.mapping {
            for (key, value) in mapping {
                let last = key.string ?? "?"
                try collect(value, named: name.isEmpty ? last : "\(name).\(last)", from: path, keys, into: &values)
            }
            return
        }
        // A section is empty if all its keys are commented out.
        if node.null != nil, keys.hasSection(name) { return }
        let key = try keys.named(name, in: path)
        // `key:` without a value leaves the key unset.
        if node.null != nil { return }
        guard let scalar = node.scalar else {
            throw ConfigurationError(key, "must be one value in \(path), not a list")
        }
        values[key] = key.isPath ? self.path(scalar.string, beside: path) : scalar.string
    }

    private static func path(_ path: String, beside file: String) -> String {
        guard !path.isEmpty, !path.hasPrefix("/"), let slash = file.lastIndex(of: "/") else { return path }
        return file[...slash] + path
    }
}

extension YamlError {
    /// The problem, with its line if Yams reports one, and without the surrounding lines that Yams would quote.
    fileprivate var withoutText: String {
        switch self {
        case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
            .composer(_, let problem, let mark, _):
            "line \(mark.line), column \(mark.column): \(problem)"
        case .reader(let problem, _, _, _): problem
        case .duplicatedKeysInMapping(let keys, let context):
            "line \(context.mark.line): given twice: \(keys.sorted().joined(separator: ", "))"
        default: "is not valid YAML"
        }
    }
}
