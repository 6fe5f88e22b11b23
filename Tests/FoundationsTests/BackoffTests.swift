import Foundations
import Testing

@Suite struct BackoffTests {
    private var backoff = Backoff(first: .seconds(1), longest: .seconds(60))

    @Test mutating func doublesDelayUpToMaximum() {
        let waits = (0..<9).map { _ in backoff.failed(random: 1) }
        #expect(waits == [1, 2, 4, 8, 16, 32, 60, 60, 60].map { .seconds($0) })
        #expect(backoff.failures == 9)
        #expect(backoff.ceiling == .seconds(60))
    }

    @Test mutating func waitsAtLeastATenthOfCeiling() {
        let waits = (0..<8).map { _ in backoff.failed(random: 0) }
        #expect(waits == [100, 200, 400, 800, 1600, 3200, 6000, 6000].map { .milliseconds($0) })
    }

    @Test(arguments: [(0, 100), (0.25, 325), (0.5, 550), (0.75, 775), (1, 1_000)])
    func spreadsJitterOverWholeRange(random: Double, milliseconds: Int) {
        var backoff = backoff
        #expect(backoff.failed(random: random) == .milliseconds(milliseconds))
    }

    @Test func appliesConfiguredJitter() {
        var tenth = Backoff(first: .seconds(15), longest: .seconds(900), jitter: 0.1)
        #expect(tenth.failed(random: 0) == .milliseconds(13_500))
        var nothing = Backoff(first: .milliseconds(200), longest: .seconds(10), jitter: 0)
        #expect(nothing.failed(random: 0) == .milliseconds(200))
    }

    @Test mutating func resetsAfterSuccess() {
        for _ in 0..<5 { _ = backoff.failed(random: 0.5) }
        backoff.succeeded()
        #expect(backoff.failures == 0)
        #expect(backoff.ceiling == .zero)
        #expect(backoff.failed(random: 0) == .milliseconds(100))
    }

    @Test mutating func doesNotOverflowAfterManyFailures() {
        for _ in 0..<1_000 { _ = backoff.failed(random: 0) }
        #expect(backoff.failed(random: 0) == .seconds(6))
    }
}
