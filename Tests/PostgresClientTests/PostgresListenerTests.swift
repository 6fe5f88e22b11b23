import Logging
import PostgresClient
import TestSupport
import TestTraits
import Testing

@Suite(.needsDatabase, .endsAHang)
struct PostgresListenerTests {
    @Test func receivesNotificationsAndReconnects() async throws {
        let channel = "Test \"\(UInt32.random(in: 0 ... .max))"
        let quoted = "\"" + channel.split(separator: "\"").joined(separator: "\"\"") + "\""
        let name = "listener-\(UInt32.random(in: 0 ... .max))"
        let configuration = try PostgresConfiguration(url: try #require(TestServers.database), applicationName: name)
        let listener = PostgresListener(
            channels: [channel], configuration: configuration, logger: Logger(label: "test"))
        let running = Task { await listener.run() }
        let speaker = try await TestServer.connect()
        var events = listener.events.makeAsyncIterator()

        #expect(await events.next() == .connected)
        try await speaker.query("NOTIFY \(quoted), 'one'")
        #expect(await events.next() == .notification(PostgresNotification(channel: channel, payload: "one")))

        try await speaker.query(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1", [.text(name)])
        guard case .disconnected(let error)? = await events.next() else {
            Issue.record("the listener must report the lost connection")
            return
        }
        #expect(error.isRetriable)
        #expect(await events.next() == .reconnected)
        try await speaker.query("NOTIFY \(quoted)")
        #expect(await events.next() == .notification(PostgresNotification(channel: channel, payload: "")))

        running.cancel()
        await running.value
        #expect(await events.next() == nil)
        try await eventually("the listener's session ends") {
            try await speaker.query("SELECT 1 FROM pg_stat_activity WHERE application_name = $1", [.text(name)]).isEmpty
        }
        await speaker.close()
    }
}
