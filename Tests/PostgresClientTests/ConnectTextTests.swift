import Foundation
import PostgresClient
import TestSupport
import TestTraits
import Testing

/// The error text of a failed connection attempt.
@Suite struct ConnectTextTests {
    @Test func removesRepeatedTextAndFindsSQLState() {
        let refused = """
            connection to server at "127.0.0.1", port 5432 failed: FATAL:  28P01: password authentication failed for user "x"
            LOCATION:  auth_failed, auth.c:331

            """
        let text = ConnectText(refused + refused)
        #expect(text.sqlState == "28P01")
        #expect(
            text.line
                == #"connection to server at "127.0.0.1", port 5432 failed: FATAL: password authentication failed for user "x""#
        )
    }

    @Test(arguments: [
        "connection to server at \"::1\", port 1 failed: Connection refused\n\tIs the server running?\n",
        "could not translate host name: Name or service not known\n", "",
    ])
    func findsNoSQLStateInClientErrors(message: String) {
        let text = ConnectText(message)
        #expect(text.sqlState == nil)
        #expect(text.line == message.split { "\n\t".contains($0) }.joined(separator: " "))
    }

    @Test(.needsDatabase, .endsAHang) func reportsWrongPasswordAsRejectedLogin() async throws {
        let text = try #require(TestServers.database)
        var url = try #require(URLComponents(string: text))
        url.password = "wrong"
        let wrong = try #require(url.string)
        let configuration = try PostgresConfiguration(url: wrong)
        let error = try #require(
            await #expect(throws: PostgresError.self) { try await PostgresConnection.connect(configuration) })
        #expect(error.sqlState == "28P01" && error.isLoginRefused && error.isRetriable, "\(error)")
        #expect("\(error)".components(separatedBy: "password authentication failed").count == 2, "\(error)")
        #expect(!"\(error)".contains("LOCATION") && !"\(error)".contains("wrong"), "\(error)")
    }
}
