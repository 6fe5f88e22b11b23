#if os(Linux)
import Foundation
import PushModel
import Testing

/// Tests that read the memory of this process in which a secret was stored.
@Suite struct SecretMemoryTests {
    /// The length of the secret, in bytes. It is so large that the next owner of the memory does not overwrite all of
    /// it at once. The allocator reuses the beginning of freed memory first, so only the end is read.
    private static let length = 30_000

    @Test func erasesBytesWithLastCopy() throws {
        let bytes = (0..<Self.length).map { _ in UInt8.random(in: 1...255) }
        let box = Box(Secret(bytes.lazy.map { $0 }))
        var copy = box.secret
        box.secret = nil
        let end = copy?.withBytes { bytes in
            bytes.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) + UInt(Self.length - 64) }
        }
        let address = try #require(end)
        #expect(try memory(at: address) == bytes.suffix(64), "the remaining copy must keep the bytes")
        #expect(copy?.count == Self.length)
        copy = nil
        #expect(try memory(at: address) != bytes.suffix(64))
    }

    /// Returns the 64 bytes at an address, or none if the address is no longer mapped.
    private func memory(at address: UInt) throws -> ArraySlice<UInt8> {
        let memory = open("/proc/self/mem", O_RDONLY)
        defer { close(memory) }
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = pread(memory, &bytes, 64, off_t(address))
        return bytes.prefix(max(0, count))
    }

    private final class Box {
        var secret: Secret?
        init(_ secret: Secret) { self.secret = secret }
    }
}
#endif
