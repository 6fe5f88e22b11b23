import AMQPClient
import Foundation
import MartletService
import PostgresClient
import Testing

/// A file with a secret is asked for whenever somebody logs in.
@Suite struct SecretFileTests {
    @Test func thePasswordIsTheOneOfTheMoment() async throws {
        try await withFile("amqp://worker:first@host/\n") { path in
            let source = try await ConfigurationSource(
                file: nil, settings: [], environment: ["MARTLET_AMQP_URL_FILE": path])
            let broker = try source.broker()
            let current = try #require(broker.currentPassword)
            #expect(current() == AMQPPassword("first"))
            try write("amqp://worker:second@elsewhere/", to: path)
            #expect(current() == AMQPPassword("second"))
            // Half a file, another user, and none at all: the last one counts.
            for text in ["", "amqp://worker:thi%", "amqp://somebody:third@host/"] {
                try write(text, to: path)
                #expect(current() == AMQPPassword("second"), "\(text)")
            }
            try FileManager.default.removeItem(atPath: path)
            #expect(current() == AMQPPassword("second"))
            try write("amqp://worker:fourth@host/", to: path)
            #expect(current() == AMQPPassword("fourth"))
        }
    }

    @Test func theDatabasesURLIsTheOneOfTheMoment() async throws {
        try await withFile("postgres://one:first@host/martlet") { path in
            let source = try await ConfigurationSource(
                file: nil, settings: [], environment: ["MARTLET_DATABASE_URL_FILE": path])
            let current = try #require(try source.database(applicationName: "test").current)
            #expect("\(current())".contains("as one"))
            try write("postgres://two:second@host/martlet", to: path)
            #expect("\(current())".contains("as two"))
            try write("mysql://three:third@host/martlet", to: path)
            #expect("\(current())".contains("as two"))
        }
    }

    @Test func whatComesFromElsewhereStays() async throws {
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
