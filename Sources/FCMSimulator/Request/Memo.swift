internal import PushSimulator

/// A cache that keeps the value derived from a header field until the field's text changes. Requests on a connection
/// usually repeat the field unchanged.
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
