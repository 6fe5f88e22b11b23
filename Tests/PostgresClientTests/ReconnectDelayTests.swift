import PostgresClient
import Testing

@Suite struct ReconnectDelayTests {
    @Test func doublesUpToFiveSecondsAndStartsAgainAfterSuccess() {
        var delay = ReconnectDelay()
        let waits = (0..<8).map { _ in delay.failed(chance: 0) }
        #expect(waits == [100, 200, 400, 800, 1600, 3200, 5000, 5000].map { .milliseconds($0) })
        delay.succeeded()
        #expect(delay.failed(chance: 0) == .milliseconds(100))
    }

    @Test func firstAndLongestCanBeSaid() {
        var delay = ReconnectDelay(first: .seconds(1), longest: .seconds(3))
        #expect((0..<4).map { _ in delay.failed(chance: 0) } == [1, 2, 3, 3].map { .seconds($0) })
    }

    @Test func chanceShortensByUpToHalf() {
        var delay = ReconnectDelay()
        #expect(delay.failed(chance: 1) == .milliseconds(50))
        #expect(delay.failed(chance: 0.5) == .milliseconds(150))
    }
}
