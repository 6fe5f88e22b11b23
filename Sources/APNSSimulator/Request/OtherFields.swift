internal import PushSimulator

/// The names of the request's header fields that are not a ``FieldName``. They are kept to detect repetitions.
struct OtherFields {
    private var names: Set<[UInt8]> = []

    /// Adds a name. Returns `false` if it is a forbidden repetition. `cookie` may be repeated, because HTTP/2 allows
    /// clients to split it (RFC 9113, section 8.2.3).
    mutating func insert(_ name: UnsafeRawBufferPointer) -> Bool {
        names.insert(Array(name)).inserted || name.equals("cookie")
    }
}
