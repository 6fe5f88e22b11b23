/// A buffer that splits the broker's data into frames (AMQP 0-9-1, section 4.2.3).
package final class FrameBuffer {
    package struct Frame {
        package let type: UInt8
        package let channel: UInt16
        /// The payload, which is valid until more data is read.
        package let payload: UnsafeRawBufferPointer
    }

    /// The size of a frame's header, the size of header and end mark together, both in bytes, and the end mark itself.
    /// The header contains the type, the channel and the size of the payload.
    private static let (headSize, overhead, endMark) = (7, 8, 0xCE as UInt8)

    private var memory: UnsafeMutableRawBufferPointer
    private var unread = 0..<0
    private let maximumFrameSize: Int

    /// The maximum size of a frame in bytes, far above the frame size that is negotiated with a broker. RabbitMQ limits
    /// bodies to the negotiated size, but headers may exceed it, because RabbitMQ adds its own headers. With a smaller
    /// limit, such a message would end the connection, and the broker would redeliver it again and again.
    package static let largestFrame = 33_554_432

    package init(maximumFrameSize: Int = largestFrame, capacity: Int = 262_144) {
        self.maximumFrameSize = maximumFrameSize
        memory = .allocate(byteCount: max(capacity, Self.overhead), alignment: 16)
    }

    deinit {
        memory.deallocate()
    }

    /// Whether ``next()`` would return a frame, or throw because the next frame is too large.
    package var hasFrame: Bool { unread.count >= frameSize || frameSize > maximumFrameSize }

    /// The size of the next frame in bytes, or the smallest possible size while its header is incomplete.
    private var frameSize: Int {
        guard unread.count >= Self.headSize else { return Self.overhead }
        let size = memory.loadUnaligned(fromByteOffset: unread.lowerBound + 3, as: UInt32.self)
        return Int(UInt32(bigEndian: size)) + Self.overhead
    }

    /// Returns the next frame, or `nil` if it is incomplete.
    ///
    /// - Throws: ``AMQPError/Code/protocolViolation`` if the data is not a frame or the frame is larger than the limit.
    package func next() throws(AMQPError) -> Frame? {
        let size = frameSize
        guard size <= maximumFrameSize else {
            throw AMQPError(.protocolViolation, "the broker sent a frame of \(size) bytes")
        }
        guard unread.count >= size else { return nil }
        let start = unread.lowerBound
        guard memory[start + size - 1] == Self.endMark else {
            throw AMQPError(.protocolViolation, "the broker sent a frame without an end marker")
        }
        unread = start + size..<unread.upperBound
        return Frame(
            type: memory[start],
            channel: UInt16(bigEndian: memory.loadUnaligned(fromByteOffset: start + 1, as: UInt16.self)),
            payload: UnsafeRawBufferPointer(rebasing: memory[start + Self.headSize..<start + size - 1]))
    }

    /// Makes room for the rest of the next frame, and reads as much data as fits into the buffer.
    ///
    /// - Parameter read: a function that writes data into the buffer and returns the number of bytes, or zero or less
    ///   if it wrote none.
    /// - Returns: the result of `read`.
    package func fill(_ read: (UnsafeMutableRawBufferPointer) -> Int) -> Int {
        if unread.isEmpty {
            unread = 0..<0
        } else if unread.lowerBound + min(frameSize, maximumFrameSize) > memory.count {
            moveToFront()
        }
        let count = read(UnsafeMutableRawBufferPointer(rebasing: memory[unread.upperBound...]))
        if count > 0 { unread = unread.lowerBound..<unread.upperBound + count }
        return count
    }

    private func moveToFront() {
        let size = min(frameSize, maximumFrameSize)
        let rest = UnsafeRawBufferPointer(rebasing: memory[unread])
        if size > memory.count {
            let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 16)
            larger.copyMemory(from: rest)
            memory.deallocate()
            memory = larger
        } else {
            memory.copyMemory(from: rest)
        }
        unread = 0..<unread.count
    }
}
