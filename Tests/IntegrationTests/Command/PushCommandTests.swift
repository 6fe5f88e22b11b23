import APNSSimulator
import Foundation
import TestSupport
import Testing

/// `push` against `simulate`: neither needs a broker or a database.
@Suite struct PushCommandTests {
    @Test func aKeyAndACertificateCanBeTried() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "martlet-push-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        func run(_ arguments: [String]) async throws -> Subprocess.Finished {
            try await Subprocess.run(arguments, in: folder)
        }
        let made = try await run(
            [
                "/usr/bin/openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out",
                "key.p8",
            ])
        #expect(made.status == 0, "\(made)")
        let issued = try await run(
            [
                Project.command, "simulate", "certificate", "--directory", "simulator", "--app", "com.example.news",
                "--output", "push.pem",
            ])
        #expect(issued.status == 0, "\(issued)")

        let simulator = try Subprocess(
            [
                Project.command, "simulate", "--port", "0", "--control-port", "0", "--directory", "simulator",
                "--token-key", "TEAM000001:KEY1234567:key.p8",
            ], in: folder)
        defer { simulator.signal(SIGKILL) }
        try await eventually("\(simulator.output)\(simulator.errors)") { simulator.output.contains("\n") }
        let port = try #require(simulator.output.firstMatch(of: /https:\/\/127\.0\.0\.1:([0-9]+)/)?.1)

        func push(_ arguments: [String]) async throws -> Subprocess.Finished {
            try await run(
                [Project.command, "push"] + arguments + [
                    "--set", "apns.endpoint.production=127.0.0.1:\(port)", "--set", "apns.ca_file=simulator/ca.pem",
                ])
        }
        let key = [
            "--credential", "key.p8", "--team", "TEAM000001", "--key-id", "KEY1234567", "--app", "com.example.shop",
        ]
        let token = Token.random()
        let sent = try await push([token] + key + ["--alert", "hello"])
        #expect(sent.status == 0, "\(sent)")
        #expect(sent.output.contains("\(token) sent 200 apns-id "), "\(sent)")

        let (dead, odd) = (Token.random(Token.dead), "abc")
        let refused = try await push([token, dead, odd] + key + ["--alert", "hello"])
        #expect(refused.status == 1)
        #expect(refused.output.contains("\(dead) unregistered 410 Unregistered"), "\(refused)")
        #expect(refused.output.contains("\(odd) rejected BadDeviceToken"), "\(refused)")

        let certificate = try await push(
            [
                token, "--credential", "push.pem", "--team", "TEAM000002", "--app", "com.example.news", "--alert",
                "hello",
            ])
        #expect(certificate.status == 0, "\(certificate)")

        let unknown = try await push(
            [
                token, "--credential", "key.p8", "--team", "TEAM000009", "--key-id", "KEY1234567", "--app", "a.b",
                "--alert", "x",
            ])
        #expect(unknown.status == 1)
        #expect(unknown.output.contains("403 InvalidProviderToken"), "\(unknown)")

        simulator.signal(SIGTERM)
        #expect(try await simulator.finish().status == 0)
        let away = try await push([token] + key + ["--alert", "hello"])
        #expect(away.status == 1)
        #expect(away.output.contains("ConnectionFailed"), "\(away)")
    }
}
