/// The bytes of a message body, which never move, so that any number of streams, of any sessions, can be fed from it.
public final class HTTP2Body: Sendable {
    /// What stands before the bytes, of this body alone; mostly nothing.
    private let head: [UInt8]
    private let bytes: ArraySlice<UInt8>

    /// Shares the bytes, and so keeps the array that they are a part of.
    public init(_ bytes: ArraySlice<UInt8>, after head: [UInt8] = []) {
        self.head = head
        self.bytes = bytes
    }

    public convenience init(_ bytes: some Sequence<UInt8>) { self.init(ArraySlice(bytes)) }

    public var count: Int { head.count + bytes.count }

    /// Its bytes in a row; with a head, a copy of them.
    public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try head.isEmpty ? bytes.withUnsafeBytes(body) : (head + bytes).withUnsafeBytes(body)
    }

    /// Copies up to `length` bytes from `offset` on into `target`; returns how many.
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
