#if os(Linux)
import Foundation
import PushModel
import Testing

/// Looks into this process's memory where a secret was.
@Suite struct SecretMemoryTests {
    /// So long that whoever gets its memory after it does not fill it at once; an allocator gives away the beginning of
    /// what is freed first, so only the end is looked at.
    private static let length = 30_000

    @Test func theLastCopyErasesThem() throws {
        let bytes = (0..<Self.length).map { _ in UInt8.random(in: 1...255) }
        let box = Box(Secret(bytes.lazy.map { $0 }))
        var copy = box.secret
        box.secret = nil
        let end = copy?.withBytes { bytes in
            bytes.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) + UInt(Self.length - 64) }
        }
        let address = try #require(end)
        #expect(try memory(at: address) == bytes.suffix(64), "it is there, whoever holds it")
        #expect(copy?.count == Self.length)
        copy = nil
        #expect(try memory(at: address) != bytes.suffix(64))
    }

    /// 64 bytes; none where nothing is mapped any more.
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
