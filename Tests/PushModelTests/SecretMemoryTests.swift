#if os(Linux)
import Foundation
import PushModel
import Testing

/// Looks for a secret in this process's memory.
@Suite(.serialized) struct SecretMemoryTests {
    /// Bytes that stand nowhere in memory unless somebody has put them there.
    private struct Pattern {
        private let seed = UInt64.random(in: 1 ... .max)
        /// So long that whoever gets its memory after it does not fill it at once.
        static let length = 30_000
        private static let tail = length - 64

        /// SplitMix64, of which no two stretches are alike.
        subscript(index: Int) -> UInt8 {
            var mixed = seed &+ UInt64(index) &* 0x9E37_79B9_7F4A_7C15
            mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return UInt8(truncatingIfNeeded: mixed ^ (mixed >> 31))
        }

        func makeNeighbour() -> [UInt8] { Array(repeating: self[0], count: Self.length) }

        func makeSecret() -> Secret { Secret((0..<Self.length).lazy.map { self[$0] }) }

        /// How often its last 64 bytes occur; an allocator gives away the beginning of what is freed first.
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
                    // The end, or meanwhile unmapped by another thread.
                    guard count >= 64 else {
                        start += 4096
                        continue
                    }
                    for offset in 0...(count - 64) where buffer[offset] == self[Self.tail] {
                        let address = start + UInt(offset)
                        if address >= own && address < own + UInt(capacity) { continue }
                        if (1..<64).allSatisfy({ buffer[offset + $0] == self[Self.tail + $0] }) { found += 1 }
                    }
                    start += UInt(count - 63)
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
