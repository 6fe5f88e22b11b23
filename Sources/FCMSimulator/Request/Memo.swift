internal import PushSimulator

/// A cache for the value that is derived from the last header field of a kind. Later requests on the connection usually
/// repeat the field.
struct Memo<Value> {
    private var bytes: [UInt8] = []
    private var value: Value?

    mutating func value(of field: UnsafeRawBufferPointer, _ make: (String) -> Value) -> Value {
        if let value, field.equals(bytes) { return value }
        let made = make(String(decoding: field, as: UTF8.self))
        bytes = Array(field)
        value = made
        return made
    }

    /// The last derived value, or `nil` if there is none.
    var last: Value? { value }

    mutating func forget() {
        value = nil
    }
}
