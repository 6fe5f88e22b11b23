/// A part of the configuration file: a key, or a section with all parts whose names begin with the section's name.
package indirect enum KeyTree: Sendable {
    case key(name: String, ConfigurationKey)
    case section(name: String, [KeyTree])

    /// Returns the parts of a section, in the order of the keys.
    ///
    /// - Parameter depth: the number of leading words that all keys have in common.
    package static func parts(of keys: [ConfigurationKey], depth: Int = 0) -> [KeyTree] {
        var names: [String] = []
        var members: [String: [ConfigurationKey]] = [:]
        for key in keys {
            let name = String(key.words[depth])
            if members[name] == nil { names.append(name) }
            members[name, default: []].append(key)
        }
        return names.flatMap { name -> [KeyTree] in
            let members = members[name] ?? []
            let inner = members.filter { $0.words.count > depth + 1 }
            let own = members.filter { $0.words.count == depth + 1 }.map { KeyTree.key(name: name, $0) }
            return inner.isEmpty ? own : own + [.section(name: name, parts(of: inner, depth: depth + 1))]
        }
    }
}

extension ConfigurationKey {
    fileprivate var words: [Substring] { rawValue.split(separator: ".") }
}
