public import APNSSimulator
public import ArgumentParser
import Dispatch
import Foundation
import MartletCommand

/// `martlet simulate`: the APNs simulator.
struct SimulateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate", abstract: "Run a simulator of Apple's push service on this machine.",
        subcommands: [SimulateRunCommand.self, SimulateCertificateCommand.self, SimulateTokenCommand.self],
        defaultSubcommand: SimulateRunCommand.self)
}

extension SimulatorConfiguration.Environment: ExpressibleByArgument {}

extension CertificateAuthority.KeyKind: ExpressibleByArgument {}

/// `martlet simulate run`, or without the last word: serves until it is told to stop.
struct SimulateRunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Serve until SIGTERM or SIGINT (the default).")

    @Option(help: "Port for pushes (TLS, HTTP/2); 0: any free one.")
    var port = 2197

    @Option(help: "Port of the control endpoint (HTTP/1.1, JSON); 0: any free one.")
    var controlPort = 2198

    @Option(help: "Port for managing broadcast channels (TLS, HTTP/2); 0: any free one; default: none.")
    var channelPort: Int?

    @Option(help: "Address to listen on, the control endpoint too, which asks nobody who they are.")
    var bind = "127.0.0.1"

    @Option(
        name: .customLong("hostname"),
        help: ArgumentHelp(
            "Name or address the certificate is good for besides localhost, 127.0.0.1, ::1 and --bind. May be repeated.",
            valueName: "name"))
    var hostnames: [String] = []

    @Option(help: "Where the simulator's certificate authority is kept; made if missing.")
    var directory = ".local/simulator"

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

    @Flag(help: "Refuse clients that do not negotiate h2 by ALPN.")
    var requireAlpn = false

    @Option(help: "JSON file with faults and their times.", completion: .file())
    var script: String?

    @Flag(help: "Refuse provider tokens with deviations that APNs is known to let pass.")
    var strictJwt = false

    @Option(help: "Seconds after which a TLS handshake, header or body that has begun must be there whole.")
    var timeout = 30.0

    @Option(help: "Threads that serve connections.")
    var threads = 1

    @Option(help: "Streams a connection may have open.")
    var streams = 1_000

    @Option(help: "Streams a connection may have open before its first good provider token.")
    var unauthenticatedStreams = 1

    func validate() throws {
        guard (1...256).contains(threads) else {
            throw ValidationError("--threads: \(threads) is not between 1 and 256")
        }
        guard (0.1...86_400).contains(timeout) else {
            throw ValidationError("--timeout: \(timeout) is not between 0.1 and 86400 seconds")
        }
        guard streams >= 1 else { throw ValidationError("--streams: must be at least 1") }
        guard unauthenticatedStreams >= 1 else {
            throw ValidationError("--unauthenticated-streams: must be at least 1")
        }
        for (name, port) in [
            ("--port", port), ("--control-port", controlPort), ("--channel-port", channelPort ?? 0),
        ] where !(0...65_535).contains(port) {
            throw ValidationError("\(name): \(port) is not a port")
        }
    }

    func run() async throws {
        var configuration = SimulatorConfiguration()
        configuration.host = bind
        configuration.hostnames = hostnames
        configuration.timeout = .milliseconds(Int(timeout * 1_000))
        configuration.port = port
        configuration.controlPort = controlPort
        configuration.channelPort = channelPort
        configuration.refusalsBeforeSlowing = slowAfter
        configuration.refusalsBeforeGoAway = goawayAfter
        configuration.requiresALPN = requireAlpn
        configuration.directory = directory
        configuration.environment = environment
        let throwaway = tokenKeys.isEmpty ? try AuthorityDirectory(path: directory).loadOrCreateKey() : nil
        configuration.tokenKeys = try throwaway.map { [$0.tokenKey] } ?? tokenKeys.map { try $0.load() }
        configuration.requiresStrictTokens = strictJwt
        configuration.threads = threads
        configuration.streamLimit = streams
        configuration.unauthenticatedStreamLimit = unauthenticatedStreams

        let script = try script.map { file in
            guard let json = FileManager.default.contents(atPath: file) else {
                throw SimulatorError("--script: \(file) can't be read")
            }
            return try FaultScript(json: json, source: file)
        }
        let stopped = StopSignal()
        let simulator = try APNSSimulator(configuration: configuration)
        try await simulator.start()
        let greeting = SimulatorGreeting(
            configuration: configuration, port: simulator.port, controlPort: simulator.controlPort,
            channelPort: simulator.channelPort, caFile: simulator.caCertificatePath ?? "", key: throwaway)
        // In one piece: standard output may be a pipe whose reader waits for the first line and then goes.
        try printBytes(Array(try greeting.text().utf8))
        let faults = Task {
            do {
                try await script?.run(on: simulator)
            } catch let error as SimulatorError {
                printError("the script has ended early: \(error)")
            }
        }
        await stopped.wait()
        faults.cancel()
        _ = await faults.result
        await simulator.stop()
    }
}

/// Becomes true at SIGTERM or SIGINT, from its making on.
private struct StopSignal {
    private let signals: AsyncStream<Void>
    private let sources: [any DispatchSourceSignal]

    init() {
        let (signals, arrival) = AsyncStream<Void>.makeStream()
        self.signals = signals
        sources = [SIGTERM, SIGINT].map { number in
            // The default action would end the process before the source is asked.
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler { arrival.yield() }
            source.activate()
            return source
        }
    }

    func wait() async {
        for await _ in signals { break }
        for source in sources {
            source.cancel()
        }
        // A second one ends the process at once.
        for number in [SIGTERM, SIGINT] { signal(number, SIG_DFL) }
    }
}
