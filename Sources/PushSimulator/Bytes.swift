#if canImport(Glibc)
public import Glibc
#else
public import Darwin
#endif

// These functions are inlinable because the simulators compare the names of all header fields of all requests.

extension UnsafeRawBufferPointer {
    /// Returns whether the bytes equal a literal. Allocates no string.
    @inlinable package func equals(_ literal: StaticString) -> Bool {
        count == literal.utf8CodeUnitCount && hasPrefix(literal)
    }

    @inlinable package func hasPrefix(_ literal: StaticString) -> Bool {
        guard count >= literal.utf8CodeUnitCount, let baseAddress else { return literal.utf8CodeUnitCount == 0 }
        return memcmp(baseAddress, literal.utf8Start, literal.utf8CodeUnitCount) == 0
    }

    @inlinable package func hasSuffix(_ literal: StaticString) -> Bool {
        guard count >= literal.utf8CodeUnitCount else { return false }
        return UnsafeRawBufferPointer(rebasing: self[(count - literal.utf8CodeUnitCount)...]).hasPrefix(literal)
    }

    @inlinable package func equals(_ bytes: [UInt8]) -> Bool {
        guard count == bytes.count, let baseAddress else { return count == bytes.count }
        return memcmp(baseAddress, bytes, count) == 0
    }
}

/// Returns the value of a hex digit in either case, or 0xff for any other byte.
@inlinable package func hexValue(_ digit: UInt8) -> UInt8 {
    switch digit {
    case 0x30...0x39: digit - 0x30
    case 0x61...0x66: digit - 0x57
    case 0x41...0x46: digit - 0x37
    default: 0xff
    }
}
