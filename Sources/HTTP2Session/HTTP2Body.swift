/// The bytes of a message body, which never move, so that any number of streams, of any sessions, can be fed from it.
public final class HTTP2Body: Sendable {
    private let bytes: ArraySlice<UInt8>

    /// Shares the bytes, and so keeps the array that they are a part of.
    public init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
    }

    public convenience init(_ bytes: some Sequence<UInt8>) { self.init(ArraySlice(bytes)) }

    public var count: Int { bytes.count }

    public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try bytes.withUnsafeBytes(body)
    }

    /// Copies up to `length` bytes from `offset` on into `target`; returns how many.
    func copy(from offset: Int, to target: UnsafeMutableRawPointer, atMost length: Int) -> Int {
        bytes.withUnsafeBytes { source in
            let piece = UnsafeRawBufferPointer(rebasing: source[offset...].prefix(length))
            if let start = piece.baseAddress { target.copyMemory(from: start, byteCount: piece.count) }
            return piece.count
        }
    }
}
