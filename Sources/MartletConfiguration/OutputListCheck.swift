package import PushModel

/// A check that the names of plugins conflict neither with each other nor with Martlet's own names.
package struct OutputListCheck: Sendable {
    /// All faults, in the order of the list of plugins. The list is empty if there are none.
    package private(set) var faults: [String] = []

    /// The members that outcomes of any output may have in a result event.
    private static let outcomeWords: Set = [
        "job", "recipient", "broadcast", "target", "ref", "status", "reason", "detail", "by", "unregistered_at",
        "trimmed_bytes", "attempts", "redelivered", "at",
    ]
    /// The value of an outcome's `by` when Martlet itself rejects a push. Otherwise `by` names an output.
    private static let programsName = "martlet"

    /// The maximum number of different terms for accounts. Commands have an option for each term.
    package static let mostAccountWords = 8

    private let accountWords: Set<String>
    private var names: Set<String> = []
    /// The key that each environment variable sets, by the variable's name. Two keys that differ only in dots and
    /// underscores have the same variable.
    private var keys: [String: String] = [:]

    /// Checks the names of plugins.
    ///
    /// - Parameter accountWords: the words that no output may use as its term for an account, because commands already
    ///   use them for options and in JSON.
    package init(_ outputs: [any OutputPlugin], accountWords: Set<String>) {
        self.accountWords = accountWords
        for key in ConfigurationKey.own { _ = claim(key) }
        for output in outputs { check(output) }
        let words = Set(outputs.compactMap(\.credentials?.accountName))
        if words.count > Self.mostAccountWords {
            faults.append(
                "outputs: \(words.count) accountNames, more than \(Self.mostAccountWords); some must be shared"
            )
        }
    }

    private mutating func check(_ output: any OutputPlugin) {
        let name = output.name
        if let problem = Self.problem(of: name) { faults.append("output \(name): its name \(problem)") }
        if !names.insert(name).inserted { return faults.append("output \(name): is given twice") }
        if name == Self.programsName || ConfigurationKey.own.contains(where: { $0.rawValue.hasPrefix(name + ".") }) {
            faults.append("output \(name): its name is reserved")
        }
        for setting in output.settings { check(setting, of: name) }
        check(output.eventFields, of: name)
        if let account = output.credentials?.accountName {
            if let problem = Self.problem(of: account) {
                faults.append("output \(name): accountName \(account) \(problem)")
            } else if accountWords.contains(account) {
                faults.append("output \(name): accountName \(account) is already used by commands")
            }
        }
    }

    private mutating func check(_ setting: OutputSetting, of output: String) {
        for word in setting.key.split(separator: ".", omittingEmptySubsequences: false) {
            guard let problem = Self.problem(of: String(word)) else { continue }
            return faults.append("output \(output): setting \(setting.key): each of its words \(problem)")
        }
        if let other = claim(ConfigurationKey(setting, of: output)) {
            faults.append("output \(output): setting \(setting.key): its variable is also that of \(other)")
        }
    }

    private mutating func check(_ fields: EventFields, of output: String) {
        let fields = [fields.id] + (fields.uniqueID.map { [$0] } ?? [])
        if Set(fields).count < fields.count {
            faults.append("output \(output): event field \(fields[0]): is given twice")
        }
        for field in fields {
            if let problem = Self.problem(of: field) {
                faults.append("output \(output): event field \(field): \(problem)")
            } else if Self.outcomeWords.contains(field) {
                faults.append("output \(output): event field \(field): every outcome already has this field")
            }
        }
    }

    /// Claims the variables of a key. Returns the key that has already claimed one of them, or `nil` if there is none.
    private mutating func claim(_ key: ConfigurationKey) -> String? {
        let variables = [key.environmentVariable] + (key.isSecret ? [key.environmentVariable + "_FILE"] : [])
        if let other = variables.compactMap({ keys[$0] }).first { return other }
        for variable in variables { keys[variable] = key.rawValue }
        return nil
    }

    private static func problem(of word: String) -> String? {
        guard word.utf8.count <= 32, word.wholeMatch(of: /[a-z][a-z0-9_]*/) != nil else {
            return "must have up to 32 lower-case letters, digits and underscores, and begin with a letter"
        }
        return nil
    }
}
