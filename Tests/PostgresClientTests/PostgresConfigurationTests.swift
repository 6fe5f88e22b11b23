import PostgresClient
import Testing

@Suite struct PostgresConfigurationTests {
    @Test func showsWhereItGoesButNotThePassword() throws {
        let configuration = try PostgresConfiguration(
            url: "postgres://martlet:hunter2@db.example:5433/push?sslmode=verify-full&connect_timeout=3")
        #expect(configuration.description == "db.example:5433/push as martlet")
        #expect(configuration.connectTimeout == .seconds(3))
        #expect(!String(reflecting: configuration.description).contains("hunter2"))
    }

    @Test(arguments: [
        ("mysql://martlet:hunter2@db/push", "must begin with postgres://"),
        ("host=db password=hunter2", "must begin with postgres://"),
        ("postgres://martlet:hunter2@db/push?sslmod=require", "'sslmod'"),
        ("postgres://martlet:hunter2%zz@db/push", "percent-encoded"),
        ("postgres://martlet:hunter2@[::1/push", "IPv6"),
        ("postgres://martlet:x@hunter2@db/push", "percent-encoded"),
        ("postgres://martlet:x/hunter2@db/push", "percent-encoded"),
        ("postgres://martlet@db/push?password=hunter2%zz", "percent-encoded"),
    ])
    func refusesWithoutShowingThePassword(url: String, mention: String) throws {
        let error = try #require(throws: PostgresError.self) { try PostgresConfiguration(url: url) }
        #expect(error.code == .configuration)
        #expect(error.message.contains(mention), "\(error)")
        #expect(!error.message.contains("hunter2"), "\(error)")
    }
}
