import APNSSimulator
import Foundation
import PostgresClient
import TestSupport
import TestTraits
import Testing
import WorkerTestSupport

/// Faults in the configuration. The command exits with 78 and names the key or file at fault.
@Suite(.needsServers)
struct ConfigurationFaultTests {
    @Test func exitsWith78AndNamesInvalidSetting() async throws {
        try await Installation.with { installation in
            let readable = try installation.write(Installation.keyringText, to: "open-keyring")
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: readable)
            let short = try installation.write("master-1 c2hvcnQ=\n", to: "short-keyring")
            let faults: [(changes: [String: String?], words: [String])] = [
                (["ampq.url": "amqp://x/"], ["ampq.url", "did you mean amqp.url?"]),
                (["amqp.url": String?.none], ["amqp.url", "MARTLET_AMQP_URL", "is not set"]),
                (["database.url": String?.none], ["database.url", "is not set"]),
                (["keyring.file": String?.none], ["keyring.file", "is not set"]),
                (["amqp.url": "http://127.0.0.1/"], ["amqp.url"]),
                (["database.url": "mysql://127.0.0.1/"], ["database.url"]),
                (["keyring.file": "/nowhere/keyring"], ["keyring.file", "/nowhere/keyring", "No such file"]),
                (["keyring.file": readable], ["keyring.file", "chmod 600"]),
                (["keyring.file": short], ["keyring.file", "line 1", "32 bytes"]),
                (["apns.ca_file": "/nowhere/ca.pem"], ["apns.ca_file", "/nowhere/ca.pem"]),
                (["apns.endpoint.production": "somewhere"], ["apns.endpoint.production", "somewhere", "host:port"]),
                (["http.listen": "8080"], ["http.listen", "host:port"]),
                (["amqp.prefetch.bulk": "many"], ["amqp.prefetch.bulk", "many"]),
                (["worker.maximum_in_flight": "0"], ["worker.maximum_in_flight", "0"]),
                (["log.level": "loud"], ["log.level", "loud"]),
            ]
            for fault in faults {
                let finished = try await installation.martlet(["worker"], fault.changes)
                #expect(finished.status == 78, "\(fault.changes): \(finished)")
                for word in fault.words { #expect(finished.errors.contains(word), "\(word) in: \(finished)") }
            }
        }
    }

    /// The result does not depend on the current folder.
    @Test func resolvesPathsRelativeToConfigurationFile() async throws {
        try await Installation.with { installation in
            let file = try installation.configuration(["keyring.file": "keyring", "apns.ca_file": "nothing.pem"])
            let finished = try await Subprocess.run([Project.command, "doctor", "--config", file])
            let missing = installation.path("nothing.pem")
            #expect(finished.output.contains("file \(missing) does not exist or cannot be read"), "\(finished)")
            #expect(finished.output.contains("1 key, current:"), "\(finished)")
            let without = try await Subprocess.run([Project.command, "doctor"])
            #expect(without.output.contains("no configuration file was read: --config or MARTLET_CONFIG"), "\(without)")
        }
    }

    @Test func namesMissingOrInvalidFileWithoutText() async throws {
        try await Installation.with { installation in
            let missing = try await Subprocess.run([Project.command, "worker", "--config", "/nowhere/martlet.yaml"])
            #expect(missing.status == 78)
            #expect(missing.errors.contains("/nowhere/martlet.yaml"), "\(missing)")

            let broken = try installation.write("amqp:\n  url: \"amqp://me:hunter2@host/\n", to: "broken.yaml")
            let finished = try await Subprocess.run([Project.command, "worker", "--config", broken])
            #expect(finished.status == 78)
            #expect(finished.errors.contains("broken.yaml") && finished.errors.contains("line"), "\(finished)")
            #expect(!finished.errors.contains("hunter2"))

            let setting = try await Subprocess.run([Project.command, "worker", "--set", "amqp.url"])
            #expect(setting.status == 78)
            #expect(setting.errors.contains("must be key=value"), "\(setting)")
        }
    }

    /// A program that reads the JSON of doctor gets a document even if the configuration is invalid.
    @Test(arguments: [["--config", "/nowhere/martlet.yaml"], ["--set", "ampq.url=x"], ["--set", "database.url=x"]])
    func doctorReportsConfigurationFaultAsJSON(fault: [String]) async throws {
        let finished = try await Subprocess.run([Project.command, "doctor", "--json"] + fault)
        #expect(finished.status == 78, "\(finished)")
        let problems = try await SchemaValidator.problems(
            in: [finished.output.replacing("\n", with: "")], schema: "doctor.schema.json")
        #expect(problems.isEmpty, "\(problems): \(finished)")
        let document = try JSONSerialization.jsonObject(with: Data(finished.output.utf8)) as? [String: Any]
        let findings = document?["findings"] as? [[String: String]]
        #expect(document?["ok"] as? Bool == false && findings?.count == 1, "\(finished)")
        #expect(findings?.first?["level"] == "error" && findings?.first?["name"] == "configuration")
        let text = findings?.first?["text"] ?? ""
        #expect(!text.isEmpty && finished.errors.contains(text), "\(finished)")
    }

    @Test func prefersFlagsThenEnvironmentThenFile() async throws {
        try await Installation.with { installation in
            let file = try installation.configuration(["database.url": "mysql://file/", "log.level": "from-file"])
            let secret = try installation.write(installation.database.url + "\n", to: "database-url")
            // Only the flag's log level is valid.
            let finished = try await Subprocess.run(
                [Project.command, "app", "list", "--config", file, "--set", "log.level=error"],
                environment: ["MARTLET_LOG_LEVEL": "from-environment", "MARTLET_DATABASE_URL_FILE": secret])
            #expect(finished.status == 0, "\(finished)")
        }
    }

    @Test func exitsWith1IfPortIsInUse() async throws {
        try await Installation.with { installation in
            let taken = installation.simulator.port
            let worker = try await installation.martlet(["worker"], ["http.listen": "127.0.0.1:\(taken)"])
            #expect(worker.status == 1)
            #expect(worker.errors.contains("http.listen: port \(taken) is in use (127.0.0.1:\(taken))"), "\(worker)")

            let control = try #require(installation.simulator.controlPort)
            for (option, port) in [("--port", taken), ("--control-port", control)] {
                let other = option == "--port" ? "--control-port" : "--port"
                let simulator = try await Subprocess.run(
                    [
                        Project.simulator, option, "\(port)", other, "0", "--directory",
                        installation.path("simulator"),
                    ])
                #expect(simulator.status == 1)
                #expect(simulator.errors.contains("127.0.0.1:\(port): Address already in use\n"), "\(simulator)")
            }
        }
    }

    @Test func refusesDatabaseWithoutMigrations() async throws {
        try await Installation.with { installation in
            try await installation.database.pool.query("DROP SCHEMA martlet CASCADE")
            for command in [["worker"], ["app", "list"], ["doctor"]] {
                let finished = try await installation.martlet(command)
                #expect(finished.status == 1)
                let said = finished.errors + finished.output
                #expect(
                    said.contains("the database lacks ") && said.contains("run 'martlet migrate'"), "\(finished)")
            }
            let script = try await installation.martlet(["migrate", "--print"])
            #expect(script.status == 0 && script.output.contains("-- 0001_"), "\(script)")
            #expect(!script.output.contains("\nSELECT martlet.apply_grants()"), "the script prints no query result")
            let planned = try await installation.martlet(["migrate", "--dry-run"])
            #expect(planned.output.contains("would apply 1"), "\(planned)")
            #expect(try await installation.martlet(["migrate"]).output.contains("applied 1"))
            #expect(try await installation.martlet(["migrate"]).output == "the schema is up to date\n")
            #expect(try await installation.martlet(["migrate", "--print"]).output == "-- the schema is up to date\n")
            #expect(try await installation.martlet(["app", "list"]).status == 0)
        }
    }
}
