import APNSSimulator
import Foundation
import TestSupport
import Testing

/// `martlet push` with `martlet-simulator`. Neither needs a broker or a database.
@Suite struct PushCommandTests {
    @Test func pushesWithKeyAndWithCertificate() async throws {
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
                Project.simulator, "certificate", "--directory", "simulator", "--app", "com.example.news",
                "--output", "push.pem",
            ])
        #expect(issued.status == 0, "\(issued)")

        let simulator = try Subprocess(
            [
                Project.simulator, "--port", "0", "--control-port", "0", "--directory", "simulator",
                "--token-key", "TEAM000001:KEY1234567:key.p8",
            ], in: folder)
        defer { simulator.signal(SIGKILL) }
        try await eventually("started: \(simulator.output)\(simulator.errors)") { simulator.output.contains("\n") }
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
        #expect(sent.output.contains("\(token) sent 200 apns_id "), "\(sent)")

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

    @Test func pushesWithServiceAccount() async throws {
        try await withSimulator(of: "fcm") { greeting, folder in
            let endpoint = try #require(greeting.firstMatch(of: /on https:\/\/(127\.0\.0\.1:[0-9]+)/)?.1)
            func push(_ arguments: String...) async throws -> Subprocess.Finished {
                try await Subprocess.run(
                    [Project.command, "push"] + arguments + [
                        "--app", "com.example.shop", "--credential", "simulator/service-account.json", "--alert",
                        "hello",
                        "--set", "fcm.endpoint=\(endpoint)", "--set", "fcm.token_endpoint=\(endpoint)",
                        "--set", "fcm.ca_file=simulator/ca.pem",
                    ], in: folder)
            }
            let token = "device:APA91b" + String(repeating: "A", count: 134)
            let sent = try await push(token, #"{"topic":"news"}"#, "--output", "fcm")
            #expect(sent.status == 0, "\(sent)")
            #expect(sent.output.contains("\(token) sent 200 fcm_id projects/"), "\(sent)")
            #expect(sent.output.contains("news sent 200 fcm_id projects/"), "\(sent)")
            let checked = try await push(token, "--output", "fcm", "--validate-only")
            #expect(checked.status == 0, "\(checked)")
            let foreign = try await push(#"{"subscription":{}}"#, "--output", "fcm")
            #expect(foreign.status == 64 && foreign.errors.contains("recipients"), "\(foreign)")
        }
    }

    @Test func pushesWithVAPIDKey() async throws {
        try await withSimulator(of: "webpush") { greeting, folder in
            let port = try #require(greeting.firstMatch(of: /mozilla https:\/\/127\.0\.0\.1:([0-9]+)/)?.1)
            let control = try #require(greeting.firstMatch(of: /control (http:\/\/127\.0\.0\.1:[0-9]+)/)?.1)
            func run(_ arguments: [String]) async throws -> Subprocess.Finished {
                try await Subprocess.run(arguments, in: folder)
            }
            let made = try await run(
                [
                    "/usr/bin/openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out",
                    "vapid.pem",
                ])
            #expect(made.status == 0, "\(made)")
            let subscribed = try await run(
                ["/usr/bin/curl", "-sS", "--fail", "\(control)/subscriptions", "-d", #"{"persona":"mozilla"}"#])
            // The answer is a list of one subscription.
            let subscription = String(subscribed.output.drop { $0 != "{" }.prefix { $0 != "]" })
            let sent = try await run(
                [
                    Project.command, "push", "{\"subscription\":\(subscription)}", "--app", "com.example.shop",
                    "--vapid", "shop", "--subject",
                    "mailto:push@yourdomain.com", "--credential", "vapid.pem", "--alert", "hello", "--set",
                    "webpush.private_hosts=localhost:\(port)", "--set", "webpush.ca_file=simulator/ca.pem",
                ])
            #expect(sent.status == 0, "\(sent)")
            #expect(sent.output.contains(" sent 201"), "\(sent)")
        }
    }

    private struct ImportedKey: Decodable {
        let shown: [String: String]
    }

    /// The configuration of docs/webpush.md reaches all four services of the simulator.
    @Test func reachesSimulatorWithDocumentedWebPushConfiguration() async throws {
        let page = try Documents.text("docs/webpush.md")
        let block = try #require(Documents.blocks("yaml", in: page).first { $0.contains("private_hosts") })
        #expect(block.split(separator: "\n").count <= 10)
        try await withSimulator(of: "webpush") { greeting, folder in
            let control = try #require(greeting.firstMatch(of: /control (http:\/\/127\.0\.0\.1:[0-9]+)/)?.1)
            var configuration = block.replacing(".local/simulator", with: "simulator")
            let ports = greeting.matches(of: /(apple|mozilla|google|microsoft) https:\/\/127\.0\.0\.1:([0-9]+)/)
            #expect(ports.count == 4)
            for (service, documented) in zip(ports, 2397...2400) {
                configuration = configuration.replacing("localhost:\(documented)", with: "localhost:\(service.2)")
            }
            try configuration.write(to: folder.appending(path: "martlet.yaml"), atomically: true, encoding: .utf8)
            func run(_ arguments: [String]) async throws -> String {
                let finished = try await Subprocess.run(arguments, in: folder)
                #expect(finished.status == 0, "\(finished)")
                return finished.output
            }
            _ = try await run(
                [
                    "/usr/bin/openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out",
                    "vapid.pem",
                ])
            let key = ["--vapid", "shop", "--subject", "mailto:push@yourdomain.com"]
            let imported = try await run(
                [Project.command, "credential", "import", "vapid.pem", "--dry-run", "--json"] + key)
            let shown = try JSONDecoder().decode(ImportedKey.self, from: Data(imported.utf8)).shown
            let publicKey = try #require(shown["application_server_key"])
            for service in ports {
                let subscribed = try await run(
                    [
                        "/usr/bin/curl", "-sS", "--fail", "\(control)/subscriptions", "-d",
                        #"{"persona":"\#(service.1)","application_server_key":"\#(publicKey)"}"#,
                    ])
                let subscription = String(subscribed.drop { $0 != "{" }.prefix { $0 != "]" })
                let sent = try await run(
                    [
                        Project.command, "push", "{\"subscription\":\(subscription)}", "--app", "com.example.shop",
                        "--credential", "vapid.pem", "--alert", "Hello", "--config", "martlet.yaml",
                    ] + key)
                #expect(sent.contains(" sent 201"), "\(service.1): \(sent)")
            }
        }
    }

    /// Starts a simulator and runs `body`.
    ///
    /// - Parameter body: a closure that gets the output with the simulator's ports, and the folder in which the
    ///   simulator runs. The simulator writes its files to `simulator` in this folder.
    private func withSimulator(of output: String, _ body: (String, URL) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "martlet-push-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let simulator = try Subprocess(
            [
                Project.simulator, output, "--port", "0", "--control-port", "0", "--directory", "simulator",
            ], in: folder)
        defer { simulator.signal(SIGKILL) }
        try await eventually("started: \(simulator.output)\(simulator.errors)") { simulator.output.contains("\n") }
        try await body(simulator.output, folder)
    }
}
