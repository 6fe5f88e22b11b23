import Foundations
import HTTP2Pool
package import PushModel
import PushSending

extension FCMConfiguration {
    /// The settings of the output, such as `fcm.endpoint`.
    static let settings = [
        OutputSetting(
            "endpoint", .endpoint, default: "fcm.googleapis.com:443", help: "address of [FCM](fcm.md)"),
        OutputSetting(
            "token_endpoint", .endpoint, example: "127.0.0.1:2443",
            help: "address of a simulator that a service account's `token_uri` may name, besides Google's host"),
        OutputSetting(
            "ca_file", example: "/etc/martlet/simulator-ca.pem",
            help: "PEM file with authorities to trust instead of the system's, for a simulator or a proxy"),
        OutputSetting(
            "proxy", example: "http://martlet:secret@proxy.example.net:3128", isSecret: true,
            help: "proxy for FCM and Google's token endpoint, as `http://[user:password@]host:port`"),
        OutputSetting(
            "quota_per_minute", .integer(600...1_000_000_000), default: "600000",
            help: "[quota](fcm.md#quota) of a project, in messages per minute from all workers"),
        OutputSetting(
            "maximum_connections", .integer(1...1_000), default: "32", isAdvanced: true,
            help: "maximum connections with one credential"),
        OutputSetting(
            "request_timeout", .integer(10...3_600), default: "30", unit: .seconds, isAdvanced: true,
            help: "time to wait for an answer"),
    ]

    /// Creates a configuration from the output's settings.
    ///
    /// - Throws: `SettingFault` if a setting is invalid.
    package init(_ settings: OutputSettings) throws(SettingFault) {
        self.init()
        endpoint = try settings.endpoint("endpoint")
        if settings["token_endpoint"] != nil { tokenEndpoint = try settings.endpoint("token_endpoint") }
        authorityFile = try settings.authorityFile()
        proxy = try settings.proxy()
        if proxy != nil, endpoint.isAddress {
            throw SettingFault(
                "endpoint", "is the address \(endpoint.host), unverifiable through fcm.proxy: use a host name")
        }
        maximumConnections = try settings.integer("maximum_connections")
        requestTimeoutSeconds = try settings.integer("request_timeout")
        quotaPerMinute = try settings.integer("quota_per_minute")
    }
}
