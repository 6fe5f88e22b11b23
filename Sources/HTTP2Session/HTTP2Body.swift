internal import CNGHTTP2

/// The bytes of a message body in one allocation that never moves, so that any number of streams, of any
/// sessions, can be fed from it.
public final class HTTP2Body: Sendable {
    // why: written before init returns and never after.
    private nonisolated(unsafe) let base: UnsafeMutableRawPointer
    public let count: Int

    public init(copying bytes: UnsafeRawBufferPointer) {
        base = .allocate(byteCount: max(bytes.count, 1), alignment: 1)
        count = bytes.count
        UnsafeMutableRawBufferPointer(start: base, count: count).copyMemory(from: bytes)
    }

    public convenience init(_ bytes: some Sequence<UInt8>) {
        let contiguous = ContiguousArray(bytes)
        self.init(contiguous)
    }

    private convenience init(_ bytes: ContiguousArray<UInt8>) {
        // A closure can't delegate to an initializer, so the pointer is lent to the copying one from here.
        self.init(count: bytes.count) { target in
            bytes.withUnsafeBytes { target.copyMemory(from: $0) }
        }
    }

    private init(count: Int, fill: (UnsafeMutableRawBufferPointer) -> Void) {
        base = .allocate(byteCount: max(count, 1), alignment: 1)
        self.count = count
        fill(UnsafeMutableRawBufferPointer(start: base, count: count))
    }

    deinit {
        base.deallocate()
    }

    public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try body(UnsafeRawBufferPointer(start: base, count: count))
    }

    /// Copies up to `length` bytes from `offset` on into `target`; returns how many.
    func copy(from offset: Int, to target: UnsafeMutableRawPointer, atMost length: Int) -> Int {
        let copied = min(length, count - offset)
        target.copyMemory(from: base + offset, byteCount: copied)
        return copied
    }
}
