import Foundation
import SimulatorTestSupport
import TestSupport
import Testing
import WebPushSimulator

/// The simulated push services, a VAPID key, and a client for each service over TLS. Mozilla's service is reached over
/// HTTP/1.1 with curl, the others over HTTP/2.
struct PushSession: Sendable {
    let simulator: SimulatedWebPush
    let vapid = TestVAPID()
    /// The time of the simulator's clock, which stands still, in seconds since 1970.
    static let now = 1_790_000_000
    private let folder: URL

    static func run(
        _ configure: (inout WebPushSimulatorConfiguration) -> Void = { _ in },
        _ body: (PushSession) async throws -> Void
    ) async throws {
        var configuration = WebPushSimulatorConfiguration()
        configuration.now = { Date(timeIntervalSince1970: Double(now)) }
        configure(&configuration)
        let simulator = try SimulatedWebPush(configuration: configuration)
        try await simulator.start()
        let folder = FileManager.default.temporaryDirectory.appending(path: "webpush-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try Data(simulator.caCertificatePEM.utf8).write(to: folder.appending(path: "ca.pem"))
            try await body(PushSession(simulator: simulator, folder: folder))
        } catch {
            await simulator.stop()
            throw error
        }
        await simulator.stop()
    }

    private init(simulator: SimulatedWebPush, folder: URL) {
        (self.simulator, self.folder) = (simulator, folder)
    }

    var control: Control { Control(port: simulator.controlPort ?? 0) }

    func subscribe(_ persona: Persona, _ state: SimulatedWebPush.SubscriptionState = .good) throws -> SubscriptionJSON {
        try simulator.subscribe(persona, key: vapid.publicKey, state: state)
    }

    /// A push that is valid unless a test changes a property.
    struct Push {
        var message: TestMessage? = TestMessage()
        var body: [UInt8]?
        var claims = TestVAPID.Claims()
        /// The authorization field to send in place of the one with the claims. An empty text omits the field.
        var authorization: String?
        /// The header fields to add or change. A value of `nil` omits the field.
        var fields: [(String, String?)] = []
        var method = "POST"
        var path: String?
    }

    func send(
        _ persona: Persona, _ push: Push = Push(), to subscription: SubscriptionJSON? = nil
    ) async throws -> PushClient.Response {
        let subscription = try subscription ?? subscribe(persona)
        let url = try #require(URL(string: subscription.endpoint))
        let path = push.path ?? String(subscription.endpoint.dropFirst("https://localhost:".count).drop { $0 != "/" })
        let body = try push.body ?? push.message?.body(for: subscription) ?? []
        var claims = push.claims
        if claims.aud == "https://localhost" { claims.aud = "https://localhost:\(url.port ?? 0)" }
        var fields: [(String, String)] = [
            ("ttl", "60"), ("content-encoding", "aes128gcm"),
            ("authorization", try push.authorization ?? vapid.field(claims, at: Self.now)),
        ]
        for (name, value) in push.fields {
            if value == nil || name != "x-again" { fields.removeAll { $0.0 == name } }
            if let value { fields.append((name, value)) }
        }
        fields.removeAll { $0.1.isEmpty }
        return persona == .mozilla
            ? try await overHTTP1(push.method, url.port ?? 0, path, fields, body)
            : try await overHTTP2(persona, push.method, url.port ?? 0, path, fields, body)
    }

    private func overHTTP2(
        _ persona: Persona, _ method: String, _ port: Int, _ path: String, _ fields: [(String, String)], _ body: [UInt8]
    ) async throws -> PushClient.Response {
        let client = try await PushClient.connect(to: simulator, port: port)
        return try await client.push(
            method: method, path: path, fields: fields, payload: body, authority: "localhost:\(port)")
    }

    private func overHTTP1(
        _ method: String, _ port: Int, _ path: String, _ fields: [(String, String)], _ body: [UInt8]
    ) async throws -> PushClient.Response {
        let file = folder.appending(path: UUID().uuidString)
        try Data(body).write(to: file)
        let ended = try await Subprocess.run(
            [
                "/usr/bin/curl", "--silent", "--show-error", "--http1.1", "--include", "--max-time", "20", "--cacert",
                folder.appending(path: "ca.pem").path, "--request", method, "--data-binary", "@\(file.path)",
                "--header", "Content-Type:",
            ] + fields.flatMap { ["--header", "\($0.0): \($0.1)"] } + ["https://localhost:\(port)\(path)"])
        guard ended.status == 0 else { throw PushClient.Lost() }
        let parts = ended.output.replacing("\r\n", with: "\n").split(separator: "\n\n", maxSplits: 1)
        let lines = (parts.first ?? "").split(separator: "\n")
        var response = PushClient.Response(
            status: Int(lines.first?.split(separator: " ").dropFirst().first ?? "") ?? 0,
            body: parts.count > 1 ? String(parts[1]) : "")
        for line in lines.dropFirst() {
            let pair = line.split(separator: ":", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
            response.fields[pair[0].lowercased()] = pair.count > 1 ? pair[1] : ""
        }
        return response
    }
}
