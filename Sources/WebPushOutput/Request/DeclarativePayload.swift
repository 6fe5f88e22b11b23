import PushModel

/// The rule for payloads that a browser shows without a service worker (WebKit, "Declarative Web Push").
package enum DeclarativePayload {
    private static let mark = Array("8030".utf8)

    /// Returns whether the payload is an object with `"web_push": 8030`. Browsers treat a payload without this member
    /// like any other message, which is lost if the page has no service worker.
    package static func isOne(_ payload: UnsafeBufferPointer<UInt8>) -> Bool {
        var isMarked = false
        var scanner = JSONScanner(payload)
        try? scanner.object { (name, scanner) throws(JSONSyntaxError) in
            let value = try scanner.value()
            if payload[name.range].elementsEqual("web_push".utf8) {
                isMarked = payload[value].elementsEqual(mark)
            }
        }
        return isMarked
    }
}
