import APNSOutput
import PushModel
import Testing

@Suite struct APNSErrorBodyTests {
    @Test(
        arguments: [
            (#"{"reason":"BadDeviceToken"}"#, "BadDeviceToken", nil),
            (#"{"reason":"Unregistered","timestamp":1700000000123}"#, "Unregistered", 1_700_000_000_123),
            (
                #" { "timestamp" : 1700000000123 , "reason" : "ExpiredToken" , "x" : [1] } "#, "ExpiredToken",
                1_700_000_000_123
            ),
            (#"{"reason":"a\u0062\"c\\\/"}"#, #"ab"c\/"#, nil),
            ("", nil, nil), ("{}", nil, nil), ("[]", nil, nil), ("null", nil, nil), (#""BadTopic""#, nil, nil),
            ("<html><body>502 Bad Gateway</body></html>", nil, nil), (#"{"error":"x"}"#, nil, nil),
            (#"{"reason":7,"timestamp":"1700000000123"}"#, nil, nil), (#"{"reason":null}"#, nil, nil),
            (#"{"reason":"Unregistered","timestamp":1700000000123.5}"#, "Unregistered", nil),
            (#"{"reason":"Unregistered","timestamp":1.7e12}"#, "Unregistered", nil),
            (#"{"reason":"Unregistered","timestamp":9223372036854775807}"#, "Unregistered", nil),
            (#"{"reason":"Unregistered","timestamp":-9223372036854775808}"#, "Unregistered", nil),
            (#"{"reason":"Unregistered","timestamp":99999999999999999999}"#, "Unregistered", nil),
            (#"{"reason":"Unregistered","timest"#, "Unregistered", nil),
        ] as [(String, String?, Int64?)])
    func readsReasonAndTimestamp(text: String, reason: String?, milliseconds: Int64?) {
        let body = APNSErrorBody(Array(text.utf8))
        #expect(body.reason == reason)
        #expect(body.timestamp?.milliseconds == milliseconds)
    }

    @Test func ignoresBodyThatIsNotUTF8() {
        let body = APNSErrorBody(Array(#"{"reason":""#.utf8) + [0xFF] + Array(#""}"#.utf8))
        #expect(body.reason == nil)
    }
}
