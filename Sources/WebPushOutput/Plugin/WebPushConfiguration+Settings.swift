import Foundations
import Foundation
package import PushModel
import PushSending

extension WebPushConfiguration {
    /// The settings of the output, such as `webpush.allowed_hosts`.
    static let settings = [
        OutputSetting(
            "allowed_hosts", default: AllowedHosts.usual,
            help: "[hosts](webpush.md#allowed-hosts) to send to, comma-separated, as `host:port` unless the port is 443"
        ),
        OutputSetting(
            "private_hosts", example: "ntfy.example.net:8443",
            help: "additional allowed hosts, which may have private or loopback addresses"),
        OutputSetting(
            "ca_file", example: "/etc/martlet/simulator-ca.pem",
            help: "PEM file with authorities to trust instead of the system's, for a simulator or a proxy"),
        OutputSetting(
            "proxy", example: "http://martlet:secret@proxy.example.net:3128", isSecret: true,
            help: "[proxy](webpush.md#allowed-hosts) that resolves names and rejects private addresses, as "
                + "`http://[user:password@]host:port`"),
        OutputSetting(
            "default_ttl", .integer(0...Int(WebPushRequest.maximumTTL)), default: "\(WebPushRequest.maximumTTL)",
            unit: .seconds, help: "time for which a push service stores a message without `expires_at`"),
        OutputSetting(
            "maximum_connections", .integer(1...100_000), default: "1024", isAdvanced: true,
            help: "maximum connections of a worker to all push services; the worker uses one core for each 16"),
        OutputSetting(
            "request_timeout", .integer(1...3_600), default: "60", unit: .seconds, isAdvanced: true,
            help: "time to wait for an answer (Google: at most 30)"),
    ]

    /// Creates a configuration from the output's settings.
    ///
    /// - Throws: `SettingFault` if a setting is invalid.
    package init(_ settings: OutputSettings) throws(SettingFault) {
        self.init(hosts: try Self.hosts(settings))
        authorityFile = try settings.authorityFile()
        proxy = try settings.proxy()
        maximumConnections = try settings.integer("maximum_connections")
        requestTimeoutSeconds = try settings.integer("request_timeout")
        defaultTTL = Int64(try settings.integer("default_ttl"))
    }

    private static func hosts(_ settings: OutputSettings) throws(SettingFault) -> AllowedHosts {
        var rules: [AllowedHosts.Rule] = []
        for text in entries("allowed_hosts", settings) {
            guard let rule = AllowedHosts.Rule(text) else {
                throw SettingFault(
                    "allowed_hosts", "\(text) is not a host name: use name.example or *.name.example, optional :port")
            }
            rules.append(rule)
        }
        let privateHosts = try settings.privateHosts(usualPorts: [443])
        for host in privateHosts where !PushEndpoint.isName(host.host.utf8) {
            throw SettingFault("private_hosts", "\(host.host) is not a host name")
        }
        return AllowedHosts(rules, privateHosts: privateHosts)
    }

    private static func entries(_ key: String, _ settings: OutputSettings) -> [String] {
        (settings[key] ?? "").split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
            .filter { !$0.isEmpty }
    }
}
