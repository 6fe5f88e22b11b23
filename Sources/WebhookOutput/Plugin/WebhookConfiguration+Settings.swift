package import PushModel
import PushSending

extension WebhookConfiguration {
    /// The settings of this output, such as `webhook.private_hosts`.
    static let settings = [
        OutputSetting(
            "private_hosts", example: "sms.internal, localhost:8080",
            help: "[receivers](webhook.md#allowed-addresses) that may have private addresses and http URLs, "
                + "comma-separated, as `host:port` unless the port is 443 or 80"),
        OutputSetting(
            "ca_file", example: "/etc/martlet/receivers-ca.pem",
            help: "PEM file with authorities to trust instead of the system's"),
        OutputSetting(
            "proxy", example: "http://martlet:secret@proxy.example.net:3128", isSecret: true,
            help: "[proxy](webhook.md#allowed-addresses) that resolves names and rejects private addresses, as "
                + "`http://[user:password@]host:port`"),
        OutputSetting(
            "maximum_in_flight", .integer(1...1_000), default: "128", isAdvanced: true,
            help: "maximum concurrent batches to a receiver, including one reserved for `urgent`"),
        OutputSetting(
            "batch_size", .integer(1...500), default: "500", isAdvanced: true, help: "maximum recipients in a batch"),
        OutputSetting(
            "request_timeout", .integer(1...300), default: "30", unit: .seconds, isAdvanced: true,
            help: "time to wait for an answer"),
    ]

    /// Creates a configuration from the output's settings.
    ///
    /// - Throws: `SettingFault` if a setting is invalid.
    package init(_ settings: OutputSettings) throws(SettingFault) {
        self.init()
        privateHosts = try settings.privateHosts(usualPorts: [443, 80])
        authorityFile = try settings.authorityFile()
        proxy = try settings.proxy()
        maximumBatches = try settings.integer("maximum_in_flight")
        maximumRecipients = try settings.integer("batch_size")
        requestTimeoutSeconds = try settings.integer("request_timeout")
    }
}
