internal import CRabbitMQ

/// A message's properties as they travel, for tests and fuzzing; connections have the library do it.
extension AMQPProperties {
    /// - Returns: nil where the library refuses them, which ends the connection that they come over.
    package init?(wire: [UInt8]) {
        var pool = amqp_pool_t()
        init_amqp_pool(&pool, 16_384)
        defer { empty_amqp_pool(&pool) }
        let properties: AMQPProperties? = wire.withUnsafeBytes { bytes in
            var decoded: UnsafeMutableRawPointer?
            let encoded = amqp_bytes_t(len: bytes.count, bytes: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
            let status = amqp_decode_properties(Self.basicClass, &pool, encoded, &decoded)
            guard status == AMQP_STATUS_OK.rawValue, let decoded else { return nil }
            return AMQPProperties(decoded.load(as: amqp_basic_properties_t.self))
        }
        guard let properties else { return nil }
        self = properties
    }

    /// - Returns: nil where they take more than `limit` bytes.
    package func wire(limit: Int = 131_072) -> [UInt8]? {
        let pool = FieldPool()
        var isWritten = false
        // What is encoded lies in the pool.
        let wire = withExtendedLifetime(pool) {
            var properties = encoded(in: pool)
            return [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
                let encoded = amqp_bytes_t(len: limit, bytes: UnsafeMutableRawPointer(buffer.baseAddress))
                let written = amqp_encode_properties(Self.basicClass, &properties, encoded)
                isWritten = written >= 0
                count = max(0, Int(written))
            }
        }
        return isWritten ? wire : nil
    }

    private static let basicClass: UInt16 = 60
}
