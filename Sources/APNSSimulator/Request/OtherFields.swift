internal import PushSimulator

/// The names of a request's remaining fields, kept to detect repetitions.
struct OtherFields {
    private var names: Set<[UInt8]> = []

    /// Adds a name and returns `false` if it is a repetition. `cookie` may be repeated because HTTP/2 lets clients
    /// split that field (RFC 9113, section 8.2.3).
    mutating func insert(_ name: UnsafeRawBufferPointer) -> Bool {
        names.insert(Array(name)).inserted || name.equals("cookie")
    }
}
