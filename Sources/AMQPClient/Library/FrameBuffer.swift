/// Splits what the broker sends into frames (AMQP 0-9-1, section 4.2.3).
package final class FrameBuffer {
    package struct Frame {
        package let type: UInt8
        package let channel: UInt16
        /// Until more is read.
        package let payload: UnsafeRawBufferPointer
    }

    /// Type, channel and size before the payload, and a mark behind it.
    private static let (headSize, overhead, endMark) = (7, 8, 0xCE as UInt8)

    private var memory: UnsafeMutableRawBufferPointer
    private var unread = 0..<0
    private let maximumFrameSize: Int

    /// Most bytes of a frame, far more than is agreed with a broker: RabbitMQ holds bodies to that, but not headers to which
    /// it has added its own, and a message that ended its connection would come again and again.
    package static let largestFrame = 33_554_432

    package init(maximumFrameSize: Int = largestFrame, capacity: Int = 262_144) {
        self.maximumFrameSize = maximumFrameSize
        memory = .allocate(byteCount: max(capacity, Self.overhead), alignment: 16)
    }

    deinit {
        memory.deallocate()
    }

    /// Or what can't be one, so that ``next()`` has something to say.
    package var hasFrame: Bool { unread.count >= frameSize || frameSize > maximumFrameSize }

    /// Bytes of the frame that comes next, as far as is known.
    private var frameSize: Int {
        guard unread.count >= Self.headSize else { return Self.overhead }
        let size = memory.loadUnaligned(fromByteOffset: unread.lowerBound + 3, as: UInt32.self)
        return Int(UInt32(bigEndian: size)) + Self.overhead
    }

    /// - Throws: ``AMQPError/Code/protocolViolation`` where this is no frame, or one that nobody would send.
    package func next() throws(AMQPError) -> Frame? {
        let size = frameSize
        guard size <= maximumFrameSize else {
            throw AMQPError(.protocolViolation, "The broker sent a frame of \(size) bytes")
        }
        guard unread.count >= size else { return nil }
        let start = unread.lowerBound
        guard memory[start + size - 1] == Self.endMark else {
            throw AMQPError(.protocolViolation, "The broker sent a frame without an end")
        }
        unread = start + size..<unread.upperBound
        return Frame(
            type: memory[start],
            channel: UInt16(bigEndian: memory.loadUnaligned(fromByteOffset: start + 1, as: UInt16.self)),
            payload: UnsafeRawBufferPointer(rebasing: memory[start + Self.headSize..<start + size - 1]))
    }

    /// Makes room for the rest of the next frame, and for others behind it.
    ///
    /// - Parameter read: writes into it and returns how many bytes; what is not positive is returned as it is.
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
