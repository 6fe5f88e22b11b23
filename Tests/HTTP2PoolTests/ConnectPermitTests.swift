import HTTP2Pool
import Testing

@Suite struct ConnectPermitTests {
    @Test func backsOffAfterFailuresUntilSuccess() {
        var permit = ConnectPermit(atOnce: 9)
        #expect(permit.wait(nowMilliseconds: 0) == 0)
        permit.failed(nowMilliseconds: 1_000, random: 0.5)
        #expect(permit.wait(nowMilliseconds: 1_000) == 550)
        #expect(permit.wait(nowMilliseconds: 1_549) == 1)
        #expect(permit.wait(nowMilliseconds: 1_550) == 0)
        permit.failed(nowMilliseconds: 2_000, random: 0.5)
        #expect(permit.wait(nowMilliseconds: 2_000) == 1_100)
        permit.succeeded()
        #expect(permit.wait(nowMilliseconds: 2_000) == 0)
        permit.failed(nowMilliseconds: 3_000, random: 0.5)
        #expect(permit.wait(nowMilliseconds: 3_000) == 550, "the back-off starts again")
    }

    @Test func doesNotDelayReplacementByBackOff() {
        var permit = ConnectPermit(atOnce: 9)
        permit.failed(nowMilliseconds: 0, random: 0.5)
        permit.mustReplace()
        permit.mustReplace()
        #expect(permit.replacements == 2)
        #expect(permit.wait(nowMilliseconds: 0) == 0)
        permit.connecting(1, nowMilliseconds: 0)
        #expect(permit.wait(nowMilliseconds: 0) == 0, "one replacement remains")
        permit.connecting(1, nowMilliseconds: 0)
        #expect(permit.wait(nowMilliseconds: 0) == 550, "the back-off applies again")
        permit.connecting(3, nowMilliseconds: 0)
        #expect(permit.replacements == 0)
    }

    @Test func limitsConnectionsToOnePerSecondAfterBurst() {
        var permit = ConnectPermit(atOnce: 3)
        for _ in 0..<3 {
            #expect(permit.wait(nowMilliseconds: 50) == 0)
            permit.connecting(1, nowMilliseconds: 50)
            permit.succeeded()
            permit.mustReplace()
        }
        #expect(permit.wait(nowMilliseconds: 50) == 1_000, "successes do not raise the limit")
        #expect(permit.wait(nowMilliseconds: 1_049) == 1)
        #expect(permit.wait(nowMilliseconds: 1_050) == 0)
        permit.connecting(1, nowMilliseconds: 1_050)
        #expect(permit.wait(nowMilliseconds: 1_050) == 1_000)
        #expect(permit.wait(nowMilliseconds: 9_000) == 0)
        permit.connecting(3, nowMilliseconds: 9_000)
        #expect(permit.wait(nowMilliseconds: 9_000) == 1_000, "three connections are allowed at once after a pause")
        permit.mustReplace()
        permit.failed(nowMilliseconds: 9_000, random: 0.999)
        #expect(permit.wait(nowMilliseconds: 9_000) == 1_000, "a replacement skips only the back-off")
        permit.connecting(3, nowMilliseconds: 9_000)
        #expect(permit.wait(nowMilliseconds: 12_500) == 500, "the longer of both waits applies")
    }
}
