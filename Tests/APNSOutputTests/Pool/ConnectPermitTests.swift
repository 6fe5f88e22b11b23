import APNSOutput
import Testing

@Suite struct ConnectPermitTests {
    @Test func failuresMakeTheNextWaitAndSuccessEndsThat() {
        var permit = ConnectPermit()
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
        var permit = ConnectPermit()
        permit.failed(nowMilliseconds: 0, random: 0.5)
        permit.mustReplace()
        permit.mustReplace()
        #expect(permit.replacements == 2)
        #expect(permit.wait(nowMilliseconds: 0) == 0)
        permit.connecting(1)
        #expect(permit.wait(nowMilliseconds: 0) == 0, "one more")
        permit.connecting(1)
        #expect(permit.wait(nowMilliseconds: 0) == 550, "what came of them counts again")
        permit.connecting(3)
        #expect(permit.replacements == 0)
    }
}
