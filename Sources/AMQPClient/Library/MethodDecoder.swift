internal import CRabbitMQ

extension amqp_bytes_t {
    private var buffer: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: bytes, count: bytes == nil ? 0 : len) }

    /// The bytes as text. AMQP defines names and strings as UTF-8, and invalid UTF-8 is repaired.
    var string: String { String(decoding: buffer, as: UTF8.self) }
}

/// A decoder of AMQP methods that calls the library. The library's decoder is sufficient, because the methods that a
/// broker sends after the log-in contain no tables.
final class MethodDecoder {
    private var pool = amqp_pool_t()

    init() {
        init_amqp_pool(&pool, 4_096)
    }

    deinit {
        empty_amqp_pool(&pool)
    }

    /// Decodes a method.
    ///
    /// - Parameter payload: the payload of a method frame, at least 4 bytes.
    /// - Returns: the method, which is valid until the next call or until more data is read.
    func decode(_ payload: UnsafeRawBufferPointer) throws(AMQPError) -> amqp_method_t {
        recycle_amqp_pool(&pool)
        let number = UInt32(bigEndian: payload.loadUnaligned(as: UInt32.self))
        let arguments = UnsafeRawBufferPointer(rebasing: payload[4...])
        let encoded = amqp_bytes_t(
            len: arguments.count, bytes: UnsafeMutableRawPointer(mutating: arguments.baseAddress))
        var method = amqp_method_t(id: number, decoded: nil)
        let status = amqp_decode_method(number, &pool, encoded, &method.decoded)
        guard status == AMQP_STATUS_OK.rawValue else { throw AMQPError(library: status, while: "Reading") }
        return method
    }
}
