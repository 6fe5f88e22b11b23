public import APNSSimulator
public import ArgumentParser

extension SimulatorConfiguration.Environment: ExpressibleByArgument {}

extension CertificateAuthority.KeyKind: ExpressibleByArgument {}

/// The command `martlet-simulator run`, which serves until it is stopped. It is the default of `martlet-simulator`.
struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Serve until SIGTERM or SIGINT (the default).")

    @Option(help: "Port for pushes (TLS, HTTP/2); 0: any free one.")
    var port = 2197

    @Option(help: "Port of the control endpoint (HTTP/1.1, JSON); 0: any free one.")
    var controlPort = 2198

    @Option(help: "Port for managing broadcast channels (TLS, HTTP/2); 0: any free one; default: none.")
    var channelPort: Int?

    @OptionGroup var options: SimulatorOptions

    @Option(help: "Which of Apple's services to stand for: production or sandbox.")
    var environment = SimulatorConfiguration.Environment.production

    @Option(
        name: .customLong("token-key"),
        help: ArgumentHelp(
            "Accept provider tokens of this key. The file holds its public key, or the .p8. May be repeated. Default: a key made for it.",
            valueName: "team:key-id:file"))
    var tokenKeys: [TokenKeyArgument] = []

    @Option(help: "Refusals on a connection (BadDeviceToken counts five) before it may open one stream only.")
    var slowAfter: Int?

    @Option(help: "Refusals on a connection before it is closed with GOAWAY.")
    var goawayAfter: Int?

    @Flag(help: "Refuse provider tokens with deviations that APNs is known to let pass.")
    var strictJwt = false

    @Option(help: "Streams a connection may have open.")
    var streams = 1_000

    @Option(help: "Streams a connection may have open before its first good provider token.")
    var unauthenticatedStreams = 1

    func validate() throws {
        guard streams >= 1 else { throw ValidationError("--streams: must be at least 1") }
        guard unauthenticatedStreams >= 1 else {
            throw ValidationError("--unauthenticated-streams: must be at least 1")
        }
        try SimulatorOptions.check(ports: [
            "--port": port, "--control-port": controlPort, "--channel-port": channelPort ?? 0,
        ])
    }

    func run() async throws {
        var configuration = SimulatorConfiguration()
        options.configure(&configuration.server)
        configuration.port = port
        configuration.controlPort = controlPort
        configuration.channelPort = channelPort
        configuration.refusalsBeforeSlowing = slowAfter
        configuration.refusalsBeforeGoAway = goawayAfter
        configuration.environment = environment
        let throwaway = tokenKeys.isEmpty ? try AuthorityDirectory(path: options.directory).loadOrCreateKey() : nil
        configuration.tokenKeys = try throwaway.map { [$0.tokenKey] } ?? tokenKeys.map { try $0.load() }
        configuration.requiresStrictTokens = strictJwt
        configuration.streamLimit = streams
        configuration.unauthenticatedStreamLimit = unauthenticatedStreams

        let simulator = try APNSSimulator(configuration: configuration)
        try await options.run(simulator) { [configuration] in
            try SimulatorGreeting(
                configuration: configuration, port: simulator.port, controlPort: simulator.controlPort,
                channelPort: simulator.channelPort, caFile: simulator.caCertificatePath ?? "", key: throwaway
            ).text()
        }
    }
}
