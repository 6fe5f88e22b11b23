import Foundations
import HTTP2Pool
package import PushModel
import PushSending

extension APNSConfiguration {
    /// The settings of the output, named without the prefix `apns.`.
    static let settings = [
        OutputSetting(
            "endpoint.production", .endpoint, default: "api.push.apple.com:443",
            help: "address of APNs for production"),
        OutputSetting(
            "endpoint.sandbox", .endpoint, default: "api.sandbox.push.apple.com:443",
            help: "address of APNs for the sandbox"),
        OutputSetting(
            "endpoint.broadcast.production", .endpoint, example: "api-broadcast.push.apple.com:443", isAdvanced: true,
            help: "address for [broadcasts](apns.md#broadcasts) instead of `apns.endpoint.production`"),
        OutputSetting(
            "endpoint.broadcast.sandbox", .endpoint, example: "api-broadcast.sandbox.push.apple.com:443",
            isAdvanced: true, help: "address for broadcasts in the sandbox instead of `apns.endpoint.sandbox`"),
        OutputSetting(
            "endpoint.channels.production", .endpoint, default: "api-manage-broadcast.push.apple.com:2196",
            isAdvanced: true, help: "address that `martlet channel` uses"),
        OutputSetting(
            "endpoint.channels.sandbox", .endpoint, default: "api-manage-broadcast.sandbox.push.apple.com:2195",
            isAdvanced: true, help: "address that `martlet channel` uses for the sandbox"),
        OutputSetting(
            "ca_file", example: "/etc/martlet/simulator-ca.pem",
            help: "PEM file with authorities to trust instead of the system's, for a simulator or a proxy"),
        OutputSetting(
            "certificate_verification", .choice(["full", "none"]), default: "full",
            help: "verification of certificates, `none` only for test hosts; Apple's hosts require `full`"),
        OutputSetting(
            "proxy", example: "http://martlet:secret@proxy.example.net:3128", isSecret: true,
            help: "CONNECT proxy as `http://[user:password@]host:port`, percent-encoded"),
        OutputSetting(
            "maximum_connections", .integer(1...1_000), default: "16", isAdvanced: true,
            help: "maximum connections with one credential to one environment"),
        OutputSetting(
            "request_timeout", .integer(1...3_600), default: "60", unit: .seconds, isAdvanced: true,
            help: "time to wait for an answer"),
        OutputSetting(
            "urgent_streams", .integer(0...1_000), default: "20", isAdvanced: true,
            help: "streams on each connection that are reserved for `urgent`, at most a tenth of them"),
    ]

    private static let pushEndpoints = [
        "endpoint.production", "endpoint.sandbox", "endpoint.broadcast.production", "endpoint.broadcast.sandbox",
    ]
    private static let channelEndpoints = ["endpoint.channels.production", "endpoint.channels.sandbox"]

    /// Creates the configuration from the output's settings.
    ///
    /// - Throws: `SettingFault` naming the invalid setting.
    package init(_ settings: OutputSettings) throws(SettingFault) {
        self.init(
            production: try settings.endpoint("endpoint.production"),
            sandbox: try settings.endpoint("endpoint.sandbox"),
            broadcastProduction: try Self.endpointIfSet("endpoint.broadcast.production", settings),
            broadcastSandbox: try Self.endpointIfSet("endpoint.broadcast.sandbox", settings),
            channelsProduction: try settings.endpoint("endpoint.channels.production"),
            channelsSandbox: try settings.endpoint("endpoint.channels.sandbox"),
            authorityFile: try settings.authorityFile(),
            verifiesCertificates: try settings.text("certificate_verification") == "full",
            proxy: try settings.proxy(), maximumConnections: try settings.integer("maximum_connections"),
            requestTimeoutSeconds: try settings.integer("request_timeout"))
        urgentStreams = try settings.integer("urgent_streams")
        if !verifiesCertificates {
            try Self.refuseApple(settings)
        } else if proxy != nil {
            try Self.refuseAddresses(settings)
        }
    }

    /// Rejects Apple's hosts for pushes if certificates are not verified. The channel hosts are exempt, because only a
    /// command uses them, and it rejects Apple's hosts itself.
    private static func refuseApple(_ settings: OutputSettings) throws(SettingFault) {
        for key in pushEndpoints {
            guard let endpoint = try endpointIfSet(key, settings), endpoint.isApple else { continue }
            throw SettingFault(
                "certificate_verification",
                "is none, which is allowed for test hosts only, but \(Job.defaultOutput).\(key) is \(endpoint.host)")
        }
    }

    /// Rejects IP addresses as hosts if a proxy is set. Without a host name, a certificate would be compared with the
    /// address of the socket's peer, which is the proxy.
    private static func refuseAddresses(_ settings: OutputSettings) throws(SettingFault) {
        for key in pushEndpoints + channelEndpoints {
            guard let endpoint = try endpointIfSet(key, settings), endpoint.isAddress else { continue }
            throw SettingFault(
                key, "is the address \(endpoint.host), unverifiable through apns.proxy: use a host name")
        }
    }

    private static func endpointIfSet(_ key: String, _ settings: OutputSettings) throws(SettingFault) -> Endpoint? {
        settings[key] == nil ? nil : try settings.endpoint(key)
    }
}
