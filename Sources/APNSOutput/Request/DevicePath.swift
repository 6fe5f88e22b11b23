import PushModel

/// A writer for the request path of a device, `/3/device/<token>`. It reuses its memory for each push.
///
/// A device token is an even number of hex digits, at most 512. Apple specifies no fixed length, and tokens of 160
/// digits are in use. APNs ignores the case, and the path is in lower case by convention. Angle brackets and spaces are
/// removed, because older code prints tokens with them.
package struct DevicePath: ~Copyable {
    package static let maximumDigits = 512
    private static let prefix = Array("/3/device/".utf8)

    private let storage: UnsafeMutableBufferPointer<UInt8>

    package init() {
        storage = .allocate(capacity: Self.prefix.count + Self.maximumDigits)
        _ = storage.initialize(fromContentsOf: Self.prefix)
    }

    deinit { storage.deallocate() }

    /// Returns the path for a token, or `nil` if it is not a device token. The memory is valid until the next call.
    package mutating func write(_ token: UnsafeBufferPointer<UInt8>) -> UnsafeRawBufferPointer? {
        var end = Self.prefix.count
        for byte in token {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"):
                guard end < storage.count else { return nil }
                storage[end] = byte
                end += 1
            case UInt8(ascii: "A")...UInt8(ascii: "F"):
                guard end < storage.count else { return nil }
                storage[end] = byte | 0x20
                end += 1
            case UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: " "):
                continue
            default:
                return nil
            }
        }
        let digits = end - Self.prefix.count
        guard digits > 0, digits.isMultiple(of: 2) else { return nil }
        return UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(storage)[..<end])
    }
}
