public import APNSSimulator
public import ArgumentParser

extension SimulatorConfiguration.Environment: ExpressibleByArgument {}

extension CertificateAuthority.KeyKind: ExpressibleByArgument {}

/// The command `martlet-simulator run`, which serves until it is stopped. It is the default of `martlet-simulator`.
struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Serve until SIGTERM or SIGINT (the default).")

    @Option(help: "Port for pushes (TLS, HTTP/2). 0 chooses a free port.")
    var port = 2197

    @Option(help: "Port of the control endpoint (HTTP/1.1, JSON). 0 chooses a free port.")
    var controlPort = 2198

    @Option(help: "Port for managing broadcast channels (TLS, HTTP/2). 0 chooses a free port. Default: none.")
    var channelPort: Int?

    @OptionGroup var options: SimulatorOptions

    @Option(help: "The simulated environment: production or sandbox.")
    var environment = SimulatorConfiguration.Environment.production

    @Option(
        name: .customLong("token-key"),
        help: ArgumentHelp(
            "Accept provider tokens of this key. The file has the public key or is the .p8 file. May be repeated. Default: a generated key.",
            valueName: "team:key-id:file"))
    var tokenKeys: [TokenKeyArgument] = []

    @Option(help: "Refusals after which a connection may open only one stream. BadDeviceToken counts as five.")
    var slowAfter: Int?

    @Option(help: "Refusals after which a connection is closed with GOAWAY.")
    var goawayAfter: Int?

    @Flag(help: "Refuse provider tokens with deviations that APNs tolerates.")
    var strictJwt = false

    @Option(help: "The maximum number of open streams on a connection.")
    var streams = 1_000

    @Option(help: "The maximum number of open streams before the first valid provider token.")
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

        let simulator = try SimulatedAPNS(configuration: configuration)
        try await options.run(simulator) { [configuration] in
            try SimulatorGreeting(
                configuration: configuration, port: simulator.port, controlPort: simulator.controlPort,
                channelPort: simulator.channelPort, caFile: simulator.caCertificatePath ?? "", key: throwaway
            ).text()
        }
    }
}
