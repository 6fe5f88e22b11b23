public import Foundations

/// The values of an output's settings, by key.
public struct OutputSettings: Sendable {
    private let all: [OutputSetting]
    private let settings: [String: OutputSetting]
    private let value: @Sendable (String) -> String?

    /// Creates the values of the given settings.
    ///
    /// - Parameter value: a closure that returns the configured value of a key, or `nil` to use the default.
    public init(_ settings: [OutputSetting], value: @escaping @Sendable (String) -> String? = { _ in nil }) {
        all = settings
        self.settings = Dictionary(settings.map { ($0.key, $0) }) { $1 }
        self.value = value
    }

    /// The configured value or the default, or `nil` if both are missing or the value is empty.
    public subscript(_ key: String) -> String? {
        (value(key) ?? settings[key]?.defaultValue).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Returns the value as text.
    ///
    /// - Throws: ``SettingFault`` if both the value and the default are missing, or if the value does not match the
    ///   setting's kind.
    public func text(_ key: String) throws(SettingFault) -> String {
        guard let text = self[key] else {
            throw SettingFault(key, "is not set; expected: \(settings[key]?.help ?? "no such setting")")
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

    /// Returns the value as an integer.
    ///
    /// - Throws: ``SettingFault`` if the value is missing or invalid, or if the setting's kind is not an integer.
    public func integer(_ key: String) throws(SettingFault) -> Int {
        guard case .integer(let range) = settings[key]?.kind else { throw SettingFault(key, "is not a number") }
        return try Self.integer(try text(key), in: range, of: key, isSecret: isSecret(key))
    }

    /// Returns the value as an endpoint.
    ///
    /// - Throws: ``SettingFault`` if the value is missing or invalid.
    public func endpoint(_ key: String) throws(SettingFault) -> Endpoint {
        try Self.endpoint(try text(key), of: key, isSecret: isSecret(key))
    }

    /// Checks that each value matches its setting's kind, even if the output never reads it.
    ///
    /// - Throws: ``SettingFault`` for the first invalid value.
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
    /// Creates the error for an invalid value.
    ///
    /// - Parameter isSecret: whether to leave the value out of the error.
    fileprivate init(_ key: String, _ value: String, isSecret: Bool, mustBe demand: String) {
        self.init(key, isSecret ? "must be \(demand)" : "is \(value), but must be \(demand)")
    }
}
