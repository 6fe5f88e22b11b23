import PushModel

/// The properties of a payload that determine its push type.
package struct PayloadProperties: Equatable {
    /// The value of `aps.event`, which only Live Activities have.
    package enum LiveActivityEvent: Equatable {
        case start
        case other
    }

    package private(set) var hasAps = false
    package private(set) var isVisible = false
    package private(set) var isContentAvailable = false
    package private(set) var liveActivityEvent: LiveActivityEvent?

    /// Reads `aps` at the top level of a payload. The caller has checked that the payload is a JSON object.
    package init(of payload: UnsafeBufferPointer<UInt8>) {
        var scanner = JSONScanner(payload)
        try? scanner.object { (key, scanner) throws(JSONSyntaxError) in
            guard payload[key.range].elementsEqual("aps".utf8), scanner.nextKind() == .object else {
                try scanner.value()
                return
            }
            hasAps = true
            try scanner.object { (key, scanner) throws(JSONSyntaxError) in
                let value = try scanner.value()
                take(payload[key.range], payload[value])
            }
        }
    }

    private mutating func take(_ name: Slice<UnsafeBufferPointer<UInt8>>, _ value: Slice<UnsafeBufferPointer<UInt8>>) {
        if ["alert", "badge", "sound"].contains(where: { name.elementsEqual($0.utf8) }) {
            isVisible = true
        } else if name.elementsEqual("content-available".utf8) {
            // Apple documents the number 1, and devices accept the boolean as well.
            isContentAvailable = value.elementsEqual("1".utf8) || value.elementsEqual("true".utf8)
        } else if name.elementsEqual("event".utf8), value.first == UInt8(ascii: "\"") {
            liveActivityEvent = value.elementsEqual(#""start""#.utf8) ? .start : .other
        }
    }

    /// The push type for a job that names none, or `nil` if the payload does not determine a type.
    ///
    /// Routing selects the credential by topic before the payload is read. Therefore only types whose topic is the
    /// app's bundle id are inferred. For a Live Activity, no type is inferred, even if its payload has an alert.
    package var inferredPushType: APNSPushType? {
        if liveActivityEvent != nil {
            nil
        } else if isVisible {
            .alert
        } else if isContentAvailable {
            .background
        } else {
            nil
        }
    }
}
