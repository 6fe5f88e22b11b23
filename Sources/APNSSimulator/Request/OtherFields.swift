internal import PushSimulator

/// The names of a request's other fields, to find those that are repeated.
struct OtherFields {
    private var names: Set<[UInt8]> = []

    /// Takes in one name; false: it has been there before. `cookie` may be: HTTP/2 lets clients split that field (RFC
    /// 9113, section 8.2.3).
    mutating func insert(_ name: UnsafeRawBufferPointer) -> Bool {
        names.insert(Array(name)).inserted || name.equals("cookie")
    }
}
