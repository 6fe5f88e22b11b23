public import Addressing

/// The values of an output's settings, by their key.
public struct OutputSettings: Sendable {
    private let all: [OutputSetting]
    private let settings: [String: OutputSetting]
    private let value: @Sendable (String) -> String?

    /// - Parameter value: what is set, by key; nil: nothing, so the default counts.
    public init(_ settings: [OutputSetting], value: @escaping @Sendable (String) -> String? = { _ in nil }) {
        all = settings
        self.settings = Dictionary(settings.map { ($0.key, $0) }) { $1 }
        self.value = value
    }

    /// What is set, else the default; nil where there is neither, or an empty text.
    public subscript(_ key: String) -> String? {
        (value(key) ?? settings[key]?.defaultValue).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// - Throws: ``SettingFault`` where there is neither a value nor a default, or it is not of its setting's kind.
    public func text(_ key: String) throws(SettingFault) -> String {
        guard let text = self[key] else {
            throw SettingFault(key, "is not set; it is \(settings[key]?.help ?? "no setting")")
        }
        let isSecret = isSecret(key)
        switch settings[key]?.kind {
        case .integer(let range): _ = try Self.integer(text, in: range, of: key, isSecret: isSecret)
        case .choice(let choices) where !choices.contains(text):
            throw SettingFault(key, text, isSecret: isSecret, mustBe: choices.joined(separator: " or "))
        case .endpoint: _ = try Self.endpoint(text, of: key, isSecret: isSecret)
        default: break
        }
        return text
    }

    /// - Throws: ``SettingFault``, also where the setting is no number.
    public func integer(_ key: String) throws(SettingFault) -> Int {
        guard case .integer(let range) = settings[key]?.kind else { throw SettingFault(key, "is no number") }
        return try Self.integer(try text(key), in: range, of: key, isSecret: isSecret(key))
    }

    /// - Throws: ``SettingFault``.
    public func endpoint(_ key: String) throws(SettingFault) -> Endpoint {
        try Self.endpoint(try text(key), of: key, isSecret: isSecret(key))
    }

    /// Whatever its output reads of it: each setting that has a value has one of its kind.
    ///
    /// - Throws: ``SettingFault``.
    package func checkKinds() throws(SettingFault) {
        for setting in all where self[setting.key] != nil { _ = try text(setting.key) }
    }

    private func isSecret(_ key: String) -> Bool { settings[key]?.isSecret ?? false }

    package static func integer(
        _ text: String, in range: ClosedRange<Int>, of key: String, isSecret: Bool = false
    ) throws(SettingFault) -> Int {
        guard let value = Int(text), range.contains(value) else {
            throw SettingFault(
                key, text, isSecret: isSecret,
                mustBe: "a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return value
    }

    package static func endpoint(
        _ text: String, of key: String, isSecret: Bool = false
    ) throws(SettingFault) -> Endpoint {
        do {
            return try Endpoint(text)
        } catch {
            throw SettingFault(key, text, isSecret: isSecret, mustBe: "host:port, or [address]:port for IPv6")
        }
    }
}

extension SettingFault {
    /// - Parameter isSecret: the value is not repeated.
    fileprivate init(_ key: String, _ value: String, isSecret: Bool, mustBe demand: String) {
        self.init(key, isSecret ? "must be \(demand)" : "is \(value), but must be \(demand)")
    }
}
