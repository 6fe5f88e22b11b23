import AMQPClient
import ConfigurationTestSupport
import Foundation
import MartletConfiguration
import PostgresClient
import TestSupport
import Testing

/// Files with secrets, which are read again for every login.
@Suite struct SecretFileTests {
    @Test func rereadsBrokerPasswordFromFile() async throws {
        try await withFile("amqp://worker:first@host,other/push?heartbeat=5\n") { path in
            let source = try await ConfigurationSource(
                file: nil, settings: [], environment: ["MARTLET_AMQP_URL_FILE": path])
            let broker = try source.broker()
            let current = try #require(broker.currentPassword)
            #expect(current() == AMQPPassword("first"))
            try write("amqp://worker:second@host,other/push?heartbeat=5", to: path)
            #expect(current() == AMQPPassword("second"))
            // A partial file, or one that names another broker or user, is ignored, and the last password stays in use.
            for text in [
                "", "amqp://worker:thi%", "amqp://worker:123", "amqp://worker:third@host,other/push",
                "amqp://worker:third@host,other/?heartbeat=5", "amqp://worker:third@host/push?heartbeat=5",
                "amqp://somebody:third@host,other/push?heartbeat=5", "amqps://worker:third@host,other/push?heartbeat=5",
            ] {
                try write(text, to: path)
                #expect(current() == AMQPPassword("second"), "\(text)")
            }
            try FileManager.default.removeItem(atPath: path)
            #expect(current() == AMQPPassword("second"))
            try write("amqp://worker:fourth@host,other/push?heartbeat=5", to: path)
            #expect(current() == AMQPPassword("fourth"))
        }
    }

    @Test func treatsEmptyVariablesAsUnset() async throws {
        try await withFile("amqp://worker:first@host/push") { path in
            let source = try await ConfigurationSource(
                file: nil, settings: [],
                environment: [
                    "MARTLET_AMQP_URL": "", "MARTLET_AMQP_URL_FILE": path, "MARTLET_DATABASE_URL": "postgres://a@b/c",
                    "MARTLET_DATABASE_URL_FILE": "",
                ])
            #expect(try source.broker().currentPassword?() == AMQPPassword("first"))
            #expect("\(try source.database(applicationName: "test"))".contains("b/c as a"))
        }
    }

    @Test func rereadsDatabaseUserAndPasswordFromFile() async throws {
        let (begin, end) = ("@host,other:5433/martlet", "?sslmode=verify-full&connect_timeout=3")
        try await withFile("postgres://one:first" + begin + end) { path in
            let source = try await ConfigurationSource(
                file: nil, settings: [], environment: ["MARTLET_DATABASE_URL_FILE": path])
            let current = try #require(try source.database(applicationName: "test").current)
            #expect("\(current())".contains("as one"))
            let second = "postgres://two:second" + begin + end
            try write(second, to: path)
            #expect("\(current())".contains("as two"))
            // A partial URL is ignored, however long it is.
            let next = "postgres://three:third" + begin + end
            let whole = try database(second)
            for length in 0..<next.count {
                try write(String(next.prefix(length)), to: path)
                let found = current()
                #expect("\(found)".contains("as two") && found.differences(from: whole) == [], "\(length)")
            }
            try write("postgres://three:third@elsewhere/martlet" + end, to: path)
            #expect("\(current())".contains("as two"))
            try write(next, to: path)
            #expect("\(current())".contains("as three"))
        }
    }

    @Test func namesDifferingPartsOfURLs() throws {
        let first = try database("postgres://one:hunter2@host/martlet?sslmode=verify-full")
        #expect(try database("postgres://two:second@host/martlet?sslmode=verify-full").differences(from: first) == [])
        #expect(try database("postgres://one:hunter2@host/mart").differences(from: first) == ["dbname", "sslmode"])
        #expect(try database("postgres://host").differences(from: first) == ["dbname", "sslmode"])
        let broker = try AMQPConfiguration(url: "amqps://one:hunter2@host/push")
        #expect(try AMQPConfiguration(url: "amqps://one:second@host/push").differences(from: broker) == [])
        #expect(
            try AMQPConfiguration(url: "amqp://two:second@ho/?heartbeat=3").differences(from: broker)
                == ["user", "hosts", "virtual host", "TLS", "options"])
    }

    private func database(_ url: String) throws -> PostgresConfiguration {
        try PostgresConfiguration(url: url, applicationName: "test")
    }

    @Test func doesNotRereadSecretsFromVariables() async throws {
        let source = try await ConfigurationSource(
            file: nil, settings: [],
            environment: ["MARTLET_AMQP_URL": "amqp://host", "MARTLET_DATABASE_URL": "postgres://host/martlet"])
        #expect(try source.broker().currentPassword == nil)
        #expect(try source.database(applicationName: "test").current == nil)
    }

    private func write(_ text: String, to path: String) throws {
        try Data(text.utf8).write(to: URL(filePath: path))
    }
}
