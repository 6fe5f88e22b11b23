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
            throw SettingFault(key, "is not set; expected: \(settings[key]?.plainHelp ?? "no such setting")")
        }
        try settings[key]?.check(text)
        return text
    }

    /// Returns the value as an integer.
    ///
    /// - Throws: ``SettingFault`` if the value is missing or invalid, or if the setting's kind is not an integer.
    public func integer(_ key: String) throws(SettingFault) -> Int {
        guard case .integer = settings[key]?.kind, let value = Int(try text(key)) else {
            throw SettingFault(key, "is not a number")
        }
        return value
    }

    /// Returns the value as an endpoint.
    ///
    /// - Throws: ``SettingFault`` if the value is missing or invalid.
    public func endpoint(_ key: String) throws(SettingFault) -> Endpoint {
        let text = try text(key)
        do {
            return try Endpoint(text)
        } catch {
            throw OutputSetting(key, .endpoint, isSecret: settings[key]?.isSecret ?? false, help: "").fault(text)
        }
    }

    /// Checks that each value matches its setting's kind, even if the output never reads it.
    ///
    /// - Throws: ``SettingFault`` for the first invalid value.
    package func checkKinds() throws(SettingFault) {
        for setting in all where self[setting.key] != nil { _ = try text(setting.key) }
    }
}
