import ArgumentParser
import CommandSupport
internal import Foundation
import PushSimulator

/// The options that all simulators share, and the code that runs a simulator.
struct SimulatorOptions: ParsableArguments {
    @Option(help: "The address to listen on, also for the control endpoint, which has no authentication.")
    var bind = "127.0.0.1"

    @Option(
        name: .customLong("hostname"),
        help: ArgumentHelp(
            "A further host name or address for the certificate. May be repeated.",
            valueName: "name"))
    var hostnames: [String] = []

    @Option(help: "The directory of the simulator's certificate authority. Created if missing.")
    var directory = ".local/simulator"

    @Flag(help: "Refuse clients that do not negotiate a protocol by ALPN.")
    var requireAlpn = false

    @Option(help: "The file with faults and their times (JSON).", completion: .file())
    var script: String?

    @Option(help: "The time limit for a TLS handshake, a header or a body, in seconds.")
    var timeout = 30.0

    @Option(help: "The number of threads that serve connections.")
    var threads = 1

    init() {}

    func validate() throws {
        guard (1...256).contains(threads) else {
            throw ValidationError("--threads: \(threads) is not between 1 and 256")
        }
        guard (0.1...86_400).contains(timeout) else {
            throw ValidationError("--timeout: \(timeout) is not between 0.1 and 86400 seconds")
        }
    }

    /// Checks that port numbers are valid.
    /// - Parameter ports: the ports, by the option that sets them.
    /// - Throws: `ValidationError`, which names the option at fault.
    static func check(ports: KeyValuePairs<String, Int>) throws {
        for (name, port) in ports where !(0...65_535).contains(port) {
            throw ValidationError("\(name): \(port) is not a port")
        }
    }

    func configure(_ configuration: inout ServerConfiguration) {
        configuration.host = bind
        configuration.hostnames = hostnames
        configuration.timeout = .milliseconds(Int(timeout * 1_000))
        configuration.requiresALPN = requireAlpn
        configuration.directory = directory
        configuration.threads = threads
    }

    /// Serves until SIGTERM or SIGINT.
    ///
    /// - Parameter greeting: a closure that returns the text to print as soon as the simulator listens.
    func run<Service>(
        _ simulator: SimulatedService<Service>, greeting: @Sendable () throws -> String
    ) async throws {
        let script = try script.map { file in
            guard let json = FileManager.default.contents(atPath: file) else {
                throw SimulatorError("--script: \(file) cannot be read")
            }
            return try SimulatedService<Service>.FaultScript(json: json, source: file)
        }
        let stopped = StopSignal()
        try await simulator.start()
        // The whole text is written in one call, because the reader of a pipe may exit after the first line.
        try printBytes(Array(try greeting().utf8))
        let faults = Task {
            do {
                try await script?.run(on: simulator)
            } catch let error as SimulatorError {
                printError("the script ended early: \(error)")
            }
        }
        await stopped.wait()
        faults.cancel()
        _ = await faults.result
        await simulator.stop()
    }
}
