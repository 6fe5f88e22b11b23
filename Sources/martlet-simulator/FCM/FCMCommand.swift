import Foundations
import ArgumentParser
import FCMSimulator

/// The command `martlet-simulator fcm`, which runs the FCM simulator until it is stopped.
struct FCMCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fcm", abstract: "Simulate Firebase Cloud Messaging and its token endpoint.")

    @Option(help: "Port for messages and access tokens (TLS, HTTP/2 and HTTP/1.1). 0 chooses a free port.")
    var port = 2297

    @Option(help: "Port of the control endpoint (HTTP/1.1, JSON). 0 chooses a free port.")
    var controlPort = 2298

    @OptionGroup var options: SimulatorOptions

    @Option(help: "The quota of a project in messages per minute.")
    var quota = QuotaLimit().messages

    @Option(help: "The lifetime of an access token in seconds.")
    var tokenLifetime: Int64 = 3_599

    @Option(help: "Seconds after which an idle connection is closed.")
    var idleTime = 180.0

    @Option(help: "Requests after which a connection gets GOAWAY (server_shutting_down). Default: never.")
    var shutdownAfter: Int?

    @Option(help: "The maximum number of open streams. A client that exceeds it loses the connection.")
    var streams = 100

    func validate() throws {
        try SimulatorOptions.check(ports: ["--port": port, "--control-port": controlPort])
        guard quota >= 1 else { throw ValidationError("--quota: must be at least 1") }
        guard (1...3_599).contains(tokenLifetime) else {
            throw ValidationError("--token-lifetime: \(tokenLifetime) is not between 1 and 3599 seconds")
        }
        guard (0.01...86_400).contains(idleTime) else {
            throw ValidationError("--idle-time: \(idleTime) is not between 0.01 and 86400 seconds")
        }
        guard shutdownAfter ?? 1 >= 1 else { throw ValidationError("--shutdown-after: must be at least 1") }
        guard streams >= 1 else { throw ValidationError("--streams: must be at least 1") }
    }

    func run() async throws {
        let account = try AuthorityDirectory(path: options.directory).loadOrCreateAccount()
        var configuration = FCMSimulatorConfiguration()
        options.configure(&configuration.server)
        configuration.port = port
        configuration.controlPort = controlPort
        configuration.accounts = [try account.account]
        configuration.quota.messages = quota
        configuration.tokenLifetime = tokenLifetime
        configuration.idleTime = Int64(idleTime * 1_000)
        configuration.requestsBeforeShutdown = shutdownAfter
        configuration.streamLimit = streams
        let simulator = try SimulatedFCM(configuration: configuration)
        try await options.run(simulator) { [options] in
            let address = ListeningAddress(host: options.bind)
            let base = "https://\(address.callable(simulator.port))"
            let host = options.hostnames.first ?? (options.bind == "127.0.0.1" ? "localhost" : address.callable(0).host)
            let tokens = Endpoint(host: host, port: simulator.port)
            try account.save(tokenURI: "https://\(tokens)\(SimulatedFCM.tokenPath)")
            let control = simulator.controlPort.map { ", control http://\(address.at($0))" } ?? ""
            return """
                FCM simulator on https://\(address.at(simulator.port))\(control), CA file \(simulator.caCertificatePath ?? "")

                A service account that the simulator accepts: \(account.path)
                Send messages to \(base)/v1/projects/\(ThrowawayAccount.project)/messages:send

                """
        }
    }
}
