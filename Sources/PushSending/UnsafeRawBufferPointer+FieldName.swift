internal import Glibc

extension UnsafeRawBufferPointer {
    /// Returns whether the bytes equal the name of a header field, in lower case. Called for every field of every
    /// answer.
    package func `is`(_ name: StaticString) -> Bool {
        guard count == name.utf8CodeUnitCount, let baseAddress else { return false }
        return memcmp(baseAddress, name.utf8Start, count) == 0
    }
}
