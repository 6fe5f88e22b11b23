internal import CRabbitMQ

/// The wire format of a message's properties, for tests and fuzzing.
extension AMQPProperties {
    /// Decodes properties.
    ///
    /// - Returns: the properties, and the problem if some of them could not be read.
    package static func read(wire: [UInt8]) -> (AMQPProperties, problem: String?) {
        var problem: String?
        let properties = wire.withUnsafeBytes { AMQPProperties(wire: $0, problem: &problem) }
        return (properties, problem)
    }

    /// Encodes the properties.
    ///
    /// - Returns: the bytes, or `nil` if they take more than `limit` bytes.
    package func wire(limit: Int = 131_072) -> [UInt8]? {
        let pool = FieldPool()
        var isWritten = false
        // The encoded bytes are in the pool, so it must stay alive.
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
