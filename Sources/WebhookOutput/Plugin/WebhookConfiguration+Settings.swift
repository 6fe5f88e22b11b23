package import PushModel
import PushSending

extension WebhookConfiguration {
    /// The settings of this output, such as `webhook.private_hosts`.
    static let settings = [
        OutputSetting(
            "private_hosts",
            help:
                "receivers that may have private addresses and http URLs, with commas between; host:port where it is neither 443 nor 80"
        ),
        OutputSetting(
            "ca_file", help: "PEM file with an authority to trust instead of the system's"),
        OutputSetting(
            "proxy", isSecret: true,
            help: "proxy for connections to receivers, as http://[user:password@]host:port; it looks their names up"),
        OutputSetting(
            "maximum_in_flight", .integer(1...1_000), default: "128",
            help: "most batches that a receiver has at a time, the last of them for urgent recipients"),
        OutputSetting(
            "batch_size", .integer(1...500), default: "500", help: "most recipients of one batch"),
        OutputSetting(
            "request_timeout", .integer(1...300), default: "30", help: "seconds an answer may take"),
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
