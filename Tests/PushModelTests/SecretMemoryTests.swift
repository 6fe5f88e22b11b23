#if os(Linux)
import Foundation
import PushModel
import Testing

/// Looks for a secret in this process's memory.
@Suite(.serialized) struct SecretMemoryTests {
    /// Bytes that stand nowhere in memory unless somebody has put them there.
    private struct Pattern {
        private let seed = UInt64.random(in: 1 ... .max)
        static let length = 128

        subscript(index: Int) -> UInt8 {
            UInt8(truncatingIfNeeded: ((seed &+ UInt64(index)) &* 0x9E37_79B9_7F4A_7C15) >> 29)
        }

        func makeSecret() -> Secret { Secret((0..<Self.length).lazy.map { self[$0] }) }

        /// How often its second half occurs; an allocator writes into the beginning of what is freed.
        func occurrences() throws -> Int {
            let maps = try String(contentsOfFile: "/proc/self/maps", encoding: .utf8)
            let memory = open("/proc/self/mem", O_RDONLY)
            defer { close(memory) }
            let capacity = 1 << 20
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity, alignment: 16)
            defer { buffer.deallocate() }
            let own = UInt(bitPattern: buffer.baseAddress)
            var found = 0
            for line in maps.split(separator: "\n") {
                let fields = line.split(separator: " ", omittingEmptySubsequences: true)
                let ends = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
                guard fields[1].hasPrefix("rw"), ends.count == 2 else { continue }
                var start = ends[0]
                while start < ends[1] {
                    let count = pread(memory, buffer.baseAddress, min(capacity, Int(ends[1] - start)), off_t(start))
                    guard count > 0 else { break }
                    for offset in 0..<max(0, count - 64) where buffer[offset] == self[64] {
                        let address = start + UInt(offset)
                        if address >= own && address < own + UInt(capacity) { continue }
                        if (1..<64).allSatisfy({ buffer[offset + $0] == self[64 + $0] }) { found += 1 }
                    }
                    start += UInt(count == capacity ? count - 64 : count)
                }
            }
            return found
        }
    }

    @Test func theLastCopyErasesThem() throws {
        let pattern = Pattern()
        let box = Box(pattern.makeSecret())
        var copy = box.secret
        box.secret = nil
        let found = try pattern.occurrences()
        #expect(found == 1, "it is there once, whoever holds it")
        #expect(copy?.count == Pattern.length)
        copy = nil
        let left = try pattern.occurrences()
        #expect(left == 0)
    }

    private final class Box {
        var secret: Secret?
        init(_ secret: Secret) { self.secret = secret }
    }
}
#endif
