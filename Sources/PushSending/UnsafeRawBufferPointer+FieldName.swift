internal import Glibc

extension UnsafeRawBufferPointer {
    /// Compares with the name of a header field, in lower case; called for every field of every answer.
    package func `is`(_ name: StaticString) -> Bool {
        guard count == name.utf8CodeUnitCount, let baseAddress else { return false }
        return memcmp(baseAddress, name.utf8Start, count) == 0
    }
}
