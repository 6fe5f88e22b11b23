import Foundation
package import MartletConfiguration

/// The access rules of the HTTP endpoints.
package struct StatusAccess: Sendable {
    /// Whether the status page is served.
    package let isShown: Bool
    package let hosts: HostRule
    /// The token that clients must present, or `nil` if none is required.
    package let token: AccessToken?

    package init(isShown: Bool = true, hosts: HostRule = HostRule(names: []), token: AccessToken? = nil) {
        self.isShown = isShown
        self.hosts = hosts
        self.token = token
    }

    /// Reads the access rules from the configuration.
    ///
    /// - Throws: `ConfigurationError`.
    package init(_ source: ConfigurationSource) throws {
        isShown = try source.boolean(.httpStatus)
        let names = (source.string(.httpHosts) ?? "").split(separator: ",").map {
            $0.trimmingCharacters(in: .whitespaces)
        }
        hosts = HostRule(names: names.filter { !$0.isEmpty })
        guard let file = source.string(.httpTokenFile), !file.isEmpty else {
            token = nil
            return
        }
        guard let text = try? String(contentsOfFile: file, encoding: .utf8) else {
            throw ConfigurationError(.httpTokenFile, "\(file) cannot be read")
        }
        guard let token = AccessToken(text.trimmingCharacters(in: .whitespacesAndNewlines)) else {
            throw ConfigurationError(.httpTokenFile, "\(file) must contain a token of at least 16 bytes")
        }
        self.token = token
    }
}
