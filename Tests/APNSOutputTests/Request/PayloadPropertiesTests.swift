import APNSOutput
import Testing

@Suite struct PayloadPropertiesTests {
    private func facts(_ payload: String) -> PayloadProperties {
        Array(payload.utf8).withUnsafeBufferPointer(PayloadProperties.init(of:))
    }

    @Test(arguments: [
        ("{}", false, false), (#"{"aps":{}}"#, false, false), (#"{"aps":null}"#, false, false),
        (#"{"aps":"alert"}"#, false, false), (#"{"aps":{"alert":{"title":"x"}}}"#, true, false),
        (#"{"aps":{"badge":0}}"#, true, false), (#"{"aps":{"sound":"default"}}"#, true, false),
        (#"{"aps":{"content-available":1}}"#, false, true), (#"{"aps":{"content-available":0}}"#, false, false),
        (#"{"aps":{"content-available":true}}"#, false, true),
        (#"{ "a":[1] , "aps" : { "content-available" : 1 , "sound" : "" } }"#, true, true),
        (#"{"alert":1,"badge":1,"content-available":1}"#, false, false),
        (#"{"x":{"aps":{"alert":1}}}"#, false, false),
        (#"{"aps":{"x":{"alert":1,"content-available":1}}}"#, false, false),
        (#"{"aps":{"mutable-content":1,"category":"alert"}}"#, false, false),
    ])
    func readsVisibilityAndContentAvailable(payload: String, isVisible: Bool, isContentAvailable: Bool) {
        let facts = facts(payload)
        #expect(facts.isVisible == isVisible)
        #expect(facts.isContentAvailable == isContentAvailable)
        #expect(facts.inferredPushType == (isVisible ? .alert : isContentAvailable ? .background : nil))
    }
}
