import PushModel

/// What a payload's `aps` dictionary says of the push type it needs.
package struct PayloadFacts: Equatable {
    package private(set) var isVisible = false
    package private(set) var isContentAvailable = false

    /// Reads `aps` at the top level of a payload that is known to be a JSON object.
    package init(of payload: UnsafeBufferPointer<UInt8>) {
        var scanner = JSONScanner(payload)
        try? scanner.object { (key, scanner) throws(JSONSyntaxError) in
            guard payload[key.range].elementsEqual("aps".utf8), scanner.nextKind() == .object else {
                try scanner.value()
                return
            }
            try scanner.object { (key, scanner) throws(JSONSyntaxError) in
                let name = payload[key.range]
                if ["alert", "badge", "sound"].contains(where: { name.elementsEqual($0.utf8) }) { isVisible = true }
                let value = try scanner.value()
                if name.elementsEqual("content-available".utf8), payload[value].elementsEqual("1".utf8) {
                    isContentAvailable = true
                }
            }
        }
    }

    /// The push type a job has that names none; nil when the payload does not tell.
    package var inferredPushType: APNSPushType? {
        if isVisible { .alert } else if isContentAvailable { .background } else { nil }
    }
}
