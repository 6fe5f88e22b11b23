internal import PushSimulator

/// What was made of a field's value, for the next request of the connection that has the same.
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

    /// nil: there was none yet.
    var last: Value? { value }

    mutating func forget() {
        value = nil
    }
}
