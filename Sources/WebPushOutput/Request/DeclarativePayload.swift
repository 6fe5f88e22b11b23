import PushModel

/// A payload that a browser shows by itself (WebKit, "Declarative Web Push").
package enum DeclarativePayload {
    private static let mark = Array("8030".utf8)

    /// Whether it is an object with `"web_push": 8030`; without it, browsers that know of this take it for any other
    /// message, and those that have no service worker lose it.
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
