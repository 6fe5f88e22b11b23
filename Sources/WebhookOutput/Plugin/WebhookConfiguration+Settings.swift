package import PushModel
import PushSending

extension WebhookConfiguration {
    /// The settings of this output, such as `webhook.private_hosts`.
    static let settings = [
        OutputSetting(
            "private_hosts",
            help:
                "receivers that may have private addresses and http URLs, comma-separated, host:port unless 443 or 80"
        ),
        OutputSetting(
            "ca_file", help: "PEM file with an authority to trust instead of the system's"),
        OutputSetting(
            "proxy", isSecret: true,
            help: "proxy for connections to receivers, as http://[user:password@]host:port; it resolves their names"),
        OutputSetting(
            "maximum_in_flight", .integer(1...1_000), default: "128",
            help: "maximum concurrent batches at a receiver, including one reserved for the urgent lane"),
        OutputSetting(
            "batch_size", .integer(1...500), default: "500", help: "maximum recipients of one batch"),
        OutputSetting(
            "request_timeout", .integer(1...300), default: "30", help: "seconds to wait for an answer"),
    ]

    /// Creates a configuration from the output's settings.
    ///
    /// - Throws: ``SettingFault`` if a setting is invalid.
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
