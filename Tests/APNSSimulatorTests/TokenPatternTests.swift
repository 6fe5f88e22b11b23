import APNSSimulator
import Testing

@Suite struct TokenPatternTests {
    @Test(
        arguments: [
            (0xdead_0410, 410, "Unregistered"), (0xdead_1410, 410, "ExpiredToken"), (0xdead_2410, 410, "Unregistered"),
            (0xbad0_0400, 400, "BadDeviceToken"), (0xbad0_1400, 400, "DeviceTokenNotForTopic"),
            (0xbad0_0429, 429, "TooManyRequests"), (0xbad0_0500, 500, "InternalServerError"),
            (0xbad0_0503, 503, "ServiceUnavailable"), (0xbad0_1503, 503, "Shutdown"),
        ] as [(UInt32, Int, String)])
    func mapsTokenPrefixToAnswer(prefix: UInt32, status: Int, reason: String) {
        let answer = TokenPattern.answer(prefix: prefix, parameter: 0)
        #expect(answer?.status == status)
        #expect(answer?.reason == reason)
        #expect((answer?.timestamp != nil) == (status == 410))
    }

    @Test func readsDelayAsDecimal() {
        #expect(TokenPattern.answer(prefix: 0xde1a_de1a, parameter: 0x0250) == PlannedAnswer(delayMilliseconds: 250))
        #expect(TokenPattern.answer(prefix: 0xde1a_de1a, parameter: 0x9999) == PlannedAnswer(delayMilliseconds: 9_999))
        #expect(TokenPattern.answer(prefix: 0xde1a_de1a, parameter: 0x00a0) == nil)
    }

    @Test func withholdsAnswerOnlyForSilentPrefix() {
        #expect(TokenPattern.answer(prefix: 0xdeaf_deaf, parameter: 0)?.isWithheld == true)
        #expect(TokenPattern.answer(prefix: 0xdead_beef, parameter: 0) == nil)
        #expect(TokenPattern.answer(prefix: 0, parameter: 0) == nil)
    }
}
