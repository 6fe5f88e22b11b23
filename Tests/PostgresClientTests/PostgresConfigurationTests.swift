import Foundation
import PostgresClient
import TestSupport
import TestTraits
import Testing

@Suite struct PostgresConfigurationTests {
    @Test func showsTargetButNotPassword() throws {
        let configuration = try PostgresConfiguration(
            url: "postgres://martlet:hunter2@db.example:5433/push?sslmode=verify-full&connect_timeout=3")
        #expect(configuration.description == "db.example:5433/push as martlet")
        #expect(configuration.connectTimeout == .seconds(3))
        #expect(!String(reflecting: configuration.description).contains("hunter2"))
    }

    @Test(arguments: [("0", 5), ("-1", 5), ("1", 1), ("9223372036854775807", 5), ("x", 5)])
    func usesDefaultForUnusableConnectTimeout(given: String, seconds: Int) throws {
        let configuration = try PostgresConfiguration(url: "postgres://db/push?connect_timeout=\(given)")
        #expect(configuration.connectTimeout == .seconds(seconds))
    }

    @Test(arguments: [
        ("db.example.net/push?sslmode=verify-full", []), ("db.example.net/push", ["db.example.net"]),
        ("db.example.net/push?sslmode=verify-ca", ["db.example.net"]),
        ("db.example.net/push?sslmode=require", ["db.example.net"]),
        ("127.0.0.1/push", []), ("127.0.0.2,db.example.net/push", ["db.example.net"]), ("[::1]/push", []),
        ("localhost/push", []), ("%2Fvar%2Frun%2Fpostgresql/push", []), ("[2001:db8::1]/push", ["2001:db8::1"]),
        ("/push?hostaddr=192.0.2.1", ["192.0.2.1"]), ("localhost.example.net/push", ["localhost.example.net"]),
    ])
    func listsNetworkHostsThatAreNotVerified(rest: String, hosts: [String]) throws {
        #expect(try PostgresConfiguration(url: "postgres://martlet@\(rest)").unverifiedHosts == hosts)
    }

    /// The test infers the effective `target_session_attrs` from the servers that libpq rejects.
    @Test(
        .needsDatabase,
        arguments: [("", true), ("&target_session_attrs=any", false)])
    func requiresPrimaryOfSeveralHosts(more: String, isRefused: Bool) async throws {
        let server = try #require(TestServers.database.flatMap { URLComponents(string: $0) })
        let (user, port) = (try #require(server.user), try #require(server.port))
        let login = user + (server.password.map { ":\($0)" } ?? "")
        let url = "postgres://\(login)@127.0.0.1:\(port),127.0.0.1:\(port)\(server.path)"
        let readOnly = "?options=-c%20default_transaction_read_only%3Don"
        let configuration = try PostgresConfiguration(url: url + readOnly + more)
        do {
            let connection = try await PostgresConnection.connect(configuration)
            await connection.close()
            #expect(!isRefused)
        } catch let error as PostgresError {
            #expect(isRefused && error.message.contains("read-only"), "\(error)")
        }
    }

    @Test(arguments: [
        ("mysql://martlet:hunter2@db/push", "must begin with postgres://"),
        ("host=db password=hunter2", "must begin with postgres://"),
        ("postgres://martlet:hunter2@db/push?sslmod=require", "invalid URI query parameter"),
        ("postgres://martlet:hunter2%zz@db/push", "percent-encoded"),
        ("postgres://martlet:hunter2@[::1/push", "IPv6"),
        ("postgres://martlet:x@hunter2@db/push", "percent-encoded"),
        ("postgres://martlet:x/hunter2@db/push", "percent-encoded"),
        ("postgres://martlet@db/push?password=hunter2%zz", "percent-encoded"),
        ("postgres://martlet:p/a?hunter2@h/db", "missing key/value separator"),
        ("postgres://martlet:x\"hunter2%zz@h", "percent-encoded"),
    ])
    func rejectsInvalidURLWithoutShowingPassword(url: String, mention: String) throws {
        let error = try #require(throws: PostgresError.self) { try PostgresConfiguration(url: url) }
        #expect(error.code == .configuration)
        #expect(error.message.contains(mention), "\(error)")
        #expect(!error.message.contains("hunter2"), "\(error)")
    }

    /// The password is not percent-encoded, and contains each character with a meaning in URLs at each position.
    @Test func hidesEveryPartOfPasswordInErrors() {
        let special = "/?#@\"'%[]:&=,".map(String.init) + ["%2", "%zz", "12?", "12/", "::", "?a=", "/x?"]
        for first in special {
            for second in special + [""] {
                let passwords = [
                    "hunter2\(first)\(second)hunter2", "\(first)\(second)hunter2", "12\(first)hunter2\(second)",
                ]
                for password in passwords {
                    let url = "postgres://u:\(password)@h/db"
                    do {
                        let read = try PostgresConfiguration(url: url)
                        #expect(!read.description.contains("hunter2"), "\(url)")
                    } catch {
                        #expect(!"\(error)".contains("hunter2"), "\(url)")
                    }
                }
            }
        }
    }
}
