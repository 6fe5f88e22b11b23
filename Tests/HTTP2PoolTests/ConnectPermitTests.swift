import HTTP2Pool
import Testing

@Suite struct ConnectPermitTests {
    @Test func failuresMakeTheNextWaitAndSuccessEndsThat() {
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
        #expect(permit.wait(nowMilliseconds: 3_000) == 550, "counts anew")
    }

    @Test func aReplacementDoesNotWaitForTheFailuresOfOthers() {
        var permit = ConnectPermit(atOnce: 9)
        permit.failed(nowMilliseconds: 0, random: 0.5)
        permit.mustReplace()
        permit.mustReplace()
        #expect(permit.replacements == 2)
        #expect(permit.wait(nowMilliseconds: 0) == 0)
        permit.connecting(1, nowMilliseconds: 0)
        #expect(permit.wait(nowMilliseconds: 0) == 0, "one more")
        permit.connecting(1, nowMilliseconds: 0)
        #expect(permit.wait(nowMilliseconds: 0) == 550, "what came of them counts again")
        permit.connecting(3, nowMilliseconds: 0)
        #expect(permit.replacements == 0)
    }

    @Test func afterTheFirstOnesItIsOneASecond() {
        var permit = ConnectPermit(atOnce: 3)
        for _ in 0..<3 {
            #expect(permit.wait(nowMilliseconds: 50) == 0)
            permit.connecting(1, nowMilliseconds: 50)
            permit.succeeded()
            permit.mustReplace()
        }
        #expect(permit.wait(nowMilliseconds: 50) == 1_000, "however useful they were")
        #expect(permit.wait(nowMilliseconds: 1_049) == 1)
        #expect(permit.wait(nowMilliseconds: 1_050) == 0)
        permit.connecting(1, nowMilliseconds: 1_050)
        #expect(permit.wait(nowMilliseconds: 1_050) == 1_000)
        #expect(permit.wait(nowMilliseconds: 9_000) == 0)
        permit.connecting(3, nowMilliseconds: 9_000)
        #expect(permit.wait(nowMilliseconds: 9_000) == 1_000, "after a pause they are three again")
        permit.mustReplace()
        permit.failed(nowMilliseconds: 9_000, random: 0.999)
        #expect(permit.wait(nowMilliseconds: 9_000) == 1_000, "a replacement waits for no back-off")
        permit.connecting(3, nowMilliseconds: 9_000)
        #expect(permit.wait(nowMilliseconds: 12_500) == 500, "whichever is longer")
    }
}
