import APNSOutput
import PushModel
import Store
import TestSupport
import Testing

/// Apple's limits on provider tokens. A token is at most 60 minutes old, a key gets at most one new token in 20
/// minutes, and a connection changes its token at most once in 20 minutes.
@Suite struct ProviderTokenScheduleTests {
    /// The results of a simulated day, with times in milliseconds.
    private struct Day {
        var oldest: Int64 = 0
        var shortestInterval = Int64.max
        var shortestUse = Int64.max
        var sends = 0
        var withoutToken = 0
        var longestWithoutToken: Int64 = 0

        func check() {
            #expect(oldest <= 55 * 60_000, "the oldest token used was \(oldest) ms old")
            #expect(shortestInterval >= 20 * 60_000, "two tokens were made within \(shortestInterval) ms")
            #expect(shortestUse >= 20 * 60_000, "a connection changed its token after \(shortestUse) ms")
            #expect(sends > 4_000)
        }
    }

    /// A process of the fleet, with its token cache and connections that end after a while.
    private struct Process {
        struct Connection {
            var token = ConnectionToken()
            var ends: Int64
            var nextSend: Int64
            var seen: (token: Secret, since: Int64)?
        }

        var cache = ProviderTokenCache()
        var fetch: (question: ProviderTokenCache.Fetch, answerAt: Int64)?
        var connections: [Connection]
    }

    /// Simulates a day of four processes that share a key.
    ///
    /// - Parameter slowest: The longest time that the store takes to answer, in milliseconds.
    /// - Parameter away: The periods in which the store does not answer, in milliseconds.
    private func simulate(
        seed: UInt64, averagePause: Int64, slowest: Int64 = 8_000, away: [Range<Int64>] = []
    ) -> Day {
        var generator = SplitMix64(seed: seed)
        var day = Day()
        var made: [Int64] = []
        var processes = (0..<4).map { _ in
            Process(connections: (0..<20).map { .init(ends: 7_200_000, nextSend: $0 * 700) })
        }
        var lastSuccess = Int64(0)
        for now in stride(from: Int64(0), to: 86_400_000, by: 1_000) {
            let isAway = away.contains { $0.contains(now) }
            for index in processes.indices {
                if let fetch = processes[index].fetch, fetch.answerAt <= now {
                    processes[index].fetch = nil
                    if isAway {
                        _ = processes[index].cache.fetchFailed(now: now, random: 0.5)
                    } else {
                        if made.last.map({ now - $0 >= fetch.question.age }) ?? true {
                            if let last = made.last { day.shortestInterval = min(day.shortestInterval, now - last) }
                            made.append(now)
                        }
                        let issued = made[made.count - 1]
                        _ = processes[index].cache.fetched(
                            SharedToken(
                                token: Secret("\(issued)".utf8), issuedAt: Timestamp(milliseconds: issued),
                                age: now - issued), now: now)
                    }
                }
                for number in processes[index].connections.indices
                where processes[index].connections[number].nextSend <= now {
                    var connection = processes[index].connections[number]
                    if connection.ends <= now {
                        connection = .init(ends: now + .random(in: 1_000...7_200_000, using: &generator), nextSend: now)
                    }
                    connection.nextSend = now + 1_000 * .random(in: 1...(2 * averagePause), using: &generator)
                    if connection.token.mayChange(now: now) {
                        let (answer, question) = processes[index].cache.needed(now: now)
                        if let question {
                            processes[index].fetch = (question, now + .random(in: 0...slowest, using: &generator))
                        }
                        if case .token(let token) = answer { _ = connection.token.take(token) }
                    }
                    if let held = connection.token.held, connection.token.isUsable(now: now) {
                        connection.token.used(now: now)
                        let issued = Int64(held.token.withBytes { String(decoding: $0, as: UTF8.self) }) ?? 0
                        day.oldest = max(day.oldest, now - issued)
                        if let seen = connection.seen, seen.token != held.token {
                            day.shortestUse = min(day.shortestUse, now - seen.since)
                        }
                        if connection.seen?.token != held.token { connection.seen = (held.token, now) }
                        day.sends += 1
                        lastSuccess = now
                    } else {
                        day.withoutToken += 1
                    }
                    day.longestWithoutToken = max(day.longestWithoutToken, now - lastSuccess)
                    processes[index].connections[number] = connection
                }
            }
        }
        return day
    }

    @Test(arguments: [1, 7, 60, 600, 1501])
    func keepsLimitsOverADay(averagePause: Int64) {
        let day = simulate(seed: UInt64(averagePause), averagePause: averagePause, slowest: 4_000)
        day.check()
        // With long pauses, one push requests a new token, but only the next push can use it.
        if averagePause <= 60 {
            #expect(day.oldest <= 48 * 60_000, "the oldest token used was \(day.oldest) ms old")
        }
    }

    @Test(arguments: [1, 2, 3]) func keepsLimitsDuringStoreOutages(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        let away = (1..<24).map { hour in
            let start = Int64(hour) * 3_600_000 + .random(in: 0...1_800_000, using: &generator)
            return start..<start + .random(in: 10_000...5_400_000, using: &generator)
        }
        let day = simulate(seed: seed, averagePause: 10, away: away)
        day.check()
        #expect(day.withoutToken > 0, "an outage of over an hour must leave pushes without a token")
    }

    /// Every process holds a token before the outage.
    @Test(arguments: [1, 2, 3, 4]) func sendsThroughSevenMinuteStoreOutage(seed: UInt64) {
        let start = Int64(seed) * 7_000_000
        let day = simulate(seed: seed, averagePause: 5, away: [start..<start + 7 * 60_000])
        day.check()
        #expect(day.longestWithoutToken <= 20_000, "nothing was sent for \(day.longestWithoutToken) ms")
    }
}
