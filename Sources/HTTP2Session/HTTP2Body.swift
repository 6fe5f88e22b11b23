/// The bytes of a message body. They never move, so any number of streams of any sessions can send them.
public final class HTTP2Body: Sendable {
    /// The bytes that precede the shared ones, in this body only; mostly empty.
    private let head: [UInt8]
    private let bytes: ArraySlice<UInt8>

    /// Shares the bytes, which keeps their whole array in memory.
    public init(_ bytes: ArraySlice<UInt8>, after head: [UInt8] = []) {
        self.head = head
        self.bytes = bytes
    }

    public convenience init(_ bytes: some Sequence<UInt8>) { self.init(ArraySlice(bytes)) }

    public var count: Int { head.count + bytes.count }

    /// Calls a closure with the contiguous bytes. If there is a head, they are a copy.
    public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try head.isEmpty ? bytes.withUnsafeBytes(body) : (head + bytes).withUnsafeBytes(body)
    }

    /// Copies up to `length` bytes, starting at `offset`, into `target`. Returns the number of copied bytes.
    func copy(from offset: Int, to target: UnsafeMutableRawPointer, atMost length: Int) -> Int {
        guard offset < head.count else {
            return Self.copy(bytes, from: offset - head.count, to: target, atMost: length)
        }
        let first = Self.copy(head[...], from: offset, to: target, atMost: length)
        return first + Self.copy(bytes, from: 0, to: target + first, atMost: length - first)
    }

    private static func copy(
        _ bytes: ArraySlice<UInt8>, from offset: Int, to target: UnsafeMutableRawPointer, atMost length: Int
    ) -> Int {
        bytes.withUnsafeBytes { source in
            let piece = UnsafeRawBufferPointer(rebasing: source[offset...].prefix(length))
            if let start = piece.baseAddress { target.copyMemory(from: start, byteCount: piece.count) }
            return piece.count
        }
    }
}
