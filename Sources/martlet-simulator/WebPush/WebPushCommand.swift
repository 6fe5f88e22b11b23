import ArgumentParser
import WebPushSimulator

/// The command `martlet-simulator webpush`, which runs simulators of the browsers' push services until it is stopped.
struct WebPushCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "webpush", abstract: "Simulate the push services of Apple, Mozilla, Google and Microsoft.")

    @Option(
        help: "The first of four ports (TLS), in the order Apple, Mozilla, Google, Microsoft. 0 chooses free ports.")
    var port = 2397

    @Option(help: "Port of the control endpoint (HTTP/1.1, JSON). 0 chooses a free port.")
    var controlPort = 2396

    @OptionGroup var options: SimulatorOptions

    @Option(help: "The maximum number of open streams on a connection.")
    var streams = 100

    func validate() throws {
        try SimulatorOptions.check(ports: ["--port": port == 0 ? 0 : port + 3, "--control-port": controlPort])
        guard port >= 0 else { throw ValidationError("--port: \(port) is not a port") }
        guard streams >= 1 else { throw ValidationError("--streams: must be at least 1") }
    }

    func run() async throws {
        var configuration = WebPushSimulatorConfiguration()
        options.configure(&configuration.server)
        configuration.port = port
        configuration.otherPorts = (1...3).map { port == 0 ? 0 : port + $0 }
        configuration.controlPort = controlPort
        configuration.streamLimit = streams
        let simulator = try SimulatedWebPush(configuration: configuration)
        try await options.run(simulator) { [options] in
            let address = ListeningAddress(host: options.bind)
            let services = Persona.allCases.map { "\($0.rawValue) https://\(address.at(simulator.port(of: $0)))" }
            let control = simulator.controlPort.map { address.at($0) }
            let callable = simulator.controlPort.map { address.callable($0) }
            return """
                Web Push simulator: \(services.joined(separator: ", ")), control http://\(control.map { "\($0)" } ?? ""), \
                CA file \(simulator.caCertificatePath ?? "")

                A subscription, as a browser creates it; the key is the argument of `pushManager.subscribe`:

                curl http://\(callable.map { "\($0)" } ?? "")/subscriptions -d '{"persona":"google","application_server_key":"B…"}'

                """
        }
    }
}
