import AMQPClient
import Testing

/// Frames that are read from pieces of any size.
@Suite("Frames")
struct FrameBufferTests {
    private static func frame(_ type: UInt8, channel: UInt8, _ payload: [UInt8], end: UInt8 = 0xCE) -> [UInt8] {
        let size = withUnsafeBytes(of: UInt32(payload.count).bigEndian) { Array($0) }
        return [type, 0, channel] + size + payload + [end]
    }

    private static func body(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0) } }

    /// Reads all bytes, at most `step` at a time.
    private func read(_ bytes: [UInt8], by step: Int, into buffer: FrameBuffer) throws -> [(UInt8, UInt16, [UInt8])] {
        var rest = bytes[...]
        var frames: [(UInt8, UInt16, [UInt8])] = []
        while true {
            while let frame = try buffer.next() { frames.append((frame.type, frame.channel, Array(frame.payload))) }
            guard !rest.isEmpty else { return frames }
            let count = buffer.fill { room in
                let piece = rest.prefix(min(step, room.count))
                room.copyBytes(from: piece)
                return piece.count
            }
            #expect(count > 0, "the rest of a frame must fit")
            rest = rest.dropFirst(count)
        }
    }

    @Test("frames are read whole and in order", arguments: [1, 2, 7, 8, 9, 100, 1_000, 100_000], [8, 16, 64, 4_096])
    func readsFramesFromPieces(step: Int, capacity: Int) throws {
        let sizes = [0, 1, 55, 56, 57, 0, 992, 3, 64, 0, 0, 500]
        let bytes = sizes.enumerated().flatMap { Self.frame(3, channel: UInt8($0), Self.body($1)) }
        let buffer = FrameBuffer(maximumFrameSize: 1_000, capacity: capacity)
        let frames = try read(bytes, by: step, into: buffer)
        #expect(frames.map(\.2) == sizes.map(Self.body))
        #expect(frames.map(\.1) == sizes.indices.map { UInt16($0) })
        #expect(frames.allSatisfy { $0.0 == 3 })
        #expect(!buffer.hasFrame)
    }

    @Test("a header may be larger than the frame size agreed with a broker")
    func readsLargeHeaderFrame() throws {
        let frames = try read(Self.frame(2, channel: 1, Self.body(200_000)), by: 70_000, into: FrameBuffer())
        #expect(frames.count == 1)
    }

    @Test("a frame that is far too large or lacks its end is an error")
    func rejectsOversizedAndUnterminatedFrames() {
        for bytes in [Self.frame(1, channel: 0, Self.body(993)), Self.frame(1, channel: 0, [1], end: 0)] {
            let error = #expect(throws: AMQPError.self) {
                try read(bytes, by: 5, into: FrameBuffer(maximumFrameSize: 1_000))
            }
            #expect(error?.code == .protocolViolation)
        }
    }
}
