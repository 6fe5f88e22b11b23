import APNSOutput
import Crypto
import PushModel
import PushTestSupport
import Testing

/// Apple's limits: a token is at most 60 minutes old, a key has one new token in 20 minutes at most, and a
/// connection changes its token once in 20 minutes at most.
@Suite struct ProviderTokenScheduleTests {
    /// A connection that sends whenever it is asked to, as ``APNSConnection`` does.
    private struct Sender {
        var tokenIssuedAt: Int64?
        var lastChange: Int64?
        var useEnds: Timestamp?
    }

    /// A key's tokens, as ``ProviderTokenSource`` makes them.
    private struct Maker {
        var issuedAt: Timestamp?
        var shortestInterval = Int64.max

        mutating func token(at now: Timestamp) -> Int64 {
            if let issuedAt, ProviderTokenSchedule.isCurrent(issuedAt: issuedAt, now: now) { return issuedAt.seconds }
            if let issuedAt { shortestInterval = min(shortestInterval, now.seconds - issuedAt.seconds) }
            issuedAt = now
            return now.seconds
        }
    }

    /// Connections begin at every second of a day, each sends now and then until two hours later.
    @Test(arguments: [1, 7, 60, 600, 1501, 4000])
    func limitsHoldForConnectionsOfEverySecondOfADay(averagePause: Int64) {
        var generator = SeededGenerator(seed: UInt64(averagePause))
        var maker = Maker()
        var oldest: Int64 = 0
        var shortestUse = Int64.max
        // 200 connections at a time, each given up after two hours for one that begins at that second.
        var senders = Array(repeating: Sender(), count: 200)
        var nextSend = senders.indices.map { Int64($0) }
        var ends = senders.map { _ in Int64(7200) }
        for second in Int64(0)..<86_400 {
            for index in senders.indices where nextSend[index] <= second {
                if ends[index] <= second {
                    senders[index] = Sender()
                    ends[index] = second + 7200
                }
                nextSend[index] = second + Int64.random(in: 1...(2 * averagePause), using: &generator)
                let now = Timestamp(milliseconds: second * 1000 + Int64.random(in: 0...999, using: &generator))
                if senders[index].useEnds.map({ now >= $0 }) ?? true {
                    let issued = maker.token(at: now)
                    if let previous = senders[index].tokenIssuedAt, previous != issued {
                        shortestUse = min(shortestUse, now.milliseconds - (senders[index].lastChange ?? 0))
                    }
                    if senders[index].tokenIssuedAt != issued { senders[index].lastChange = now.milliseconds }
                    senders[index].tokenIssuedAt = issued
                    senders[index].useEnds = ProviderTokenSchedule.endOfUse(taken: now)
                }
                oldest = max(oldest, now.seconds - (senders[index].tokenIssuedAt ?? 0))
            }
        }
        #expect(oldest <= 55 * 60, "the oldest token used was \(oldest) s old")
        #expect(maker.shortestInterval >= 20 * 60, "two tokens were made within \(maker.shortestInterval) s")
        #expect(shortestUse >= 20 * 60 * 1000, "a connection changed its token after \(shortestUse) ms")
    }

    /// Of a single connection, whatever second of a token's life it begins in.
    @Test func aConnectionGoesOverBetweenTwentyAndFiftyFiveMinutes() {
        for age in Int64(0)..<ProviderTokenSchedule.renewalSeconds {
            let issued = Timestamp(seconds: 1_795_168_800)
            let taken = Timestamp(milliseconds: issued.milliseconds + age * 1000 + 999)
            #expect(ProviderTokenSchedule.isCurrent(issuedAt: issued, now: taken), "age \(age)")
            var end = ProviderTokenSchedule.endOfUse(taken: taken)
            #expect(end.milliseconds - taken.milliseconds >= 20 * 60 * 1000, "age \(age)")
            if ProviderTokenSchedule.isCurrent(issuedAt: issued, now: end) {
                end = ProviderTokenSchedule.endOfUse(taken: end)
            }
            #expect(!ProviderTokenSchedule.isCurrent(issuedAt: issued, now: end), "age \(age)")
            #expect(end.seconds - issued.seconds <= 55 * 60, "age \(age)")
        }
    }
}
