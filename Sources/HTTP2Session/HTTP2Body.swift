/// The bytes of a message body. They never move, so any number of streams and sessions can send the same body.
public final class HTTP2Body: Sendable {
    /// The bytes that precede the shared bytes and belong to this body only. They are usually empty.
    private let head: [UInt8]
    private let bytes: ArraySlice<UInt8>

    /// Creates a body from `head` and the shared bytes. The body keeps the whole array of the slice in memory.
    public init(_ bytes: ArraySlice<UInt8>, after head: [UInt8] = []) {
        self.head = head
        self.bytes = bytes
    }

    public convenience init(_ bytes: some Sequence<UInt8>) { self.init(ArraySlice(bytes)) }

    public var count: Int { head.count + bytes.count }

    /// Calls a closure with the contiguous bytes of the body. If the body has a head, the bytes are copied for the
    /// call.
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
