import HTTP2Session
import Testing

/// The representation of header fields on the wire. Apple advises ("Sending notification requests to APNs") that
/// `:path` and `authorization` stay out of the compression table, and that repeated fields are in it.
@Suite struct HeaderCompressionTests {
    private static func connectionFields() throws -> HTTP2Fields {
        try HTTP2Fields([
            HTTP2Field(":method", "POST"), HTTP2Field(":scheme", "https"), HTTP2Field(":authority", "push.example"),
            HTTP2Field("authorization", "bearer x", neverIndexed: true),
        ])
    }

    private static func requestFields(expiration: String) throws -> HTTP2Fields {
        try HTTP2Fields([
            HTTP2Field("apns-topic", "com.example.shop"), HTTP2Field("apns-push-type", "alert"),
            HTTP2Field("apns-priority", "10"), HTTP2Field("apns-expiration", expiration),
            HTTP2Field("apns-collapse-id", "news"),
        ])
    }

    /// Returns the representations in the header block of each request.
    private func representations(
        of requests: [(path: String, expiration: String)]
    ) throws -> [[HeaderRepresentation]] {
        let pair = try MemoryConnection()
        try pair.exchange()
        let fields = try Self.connectionFields()
        for (tag, request) in requests.enumerated() {
            _ = try pair.client.submit(
                connectionFields: fields, path: request.path,
                requestFields: Self.requestFields(expiration: request.expiration), body: HTTP2Body([]), tag: tag)
        }
        return try HeaderRepresentation.blocks(in: pair.client.output()).map(HeaderRepresentation.read)
    }

    @Test func indexesAllFieldsButAuthorizationAndPath() throws {
        let blocks = try representations(of: [("/3/device/aa", "0")])
        #expect(
            blocks == [
                [
                    // The values POST and https are in the static table.
                    .indexed, .indexed, .incremental, .withoutIndexing, .neverIndexed, .incremental, .incremental,
                    .incremental, .incremental, .incremental,
                ]
            ])
    }

    @Test func indexesRepeatedFieldsInLaterRequests() throws {
        let blocks = try representations(of: [("/3/device/aa", "0"), ("/3/device/aa", "0"), ("/3/device/bb", "7")])
        #expect(
            blocks.dropFirst() == [
                [
                    .indexed, .indexed, .indexed, .withoutIndexing, .neverIndexed, .indexed, .indexed, .indexed,
                    .indexed, .indexed,
                ],
                [
                    .indexed, .indexed, .indexed, .withoutIndexing, .neverIndexed, .indexed, .indexed, .indexed,
                    .incremental, .indexed,
                ],
            ])
    }
}

/// The representations of a field in a header block (RFC 7541, section 6).
private enum HeaderRepresentation: Equatable {
    case indexed, incremental, withoutIndexing, neverIndexed

    /// Returns the payloads of a client's HEADERS frames, which must have neither padding nor priority.
    static func blocks(in bytes: [UInt8]) throws -> [[UInt8]] {
        var blocks: [[UInt8]] = []
        var rest = bytes[...]
        while rest.count >= 9 {
            let header = Array(rest.prefix(9))
            let length = Int(header[0]) << 16 + Int(header[1]) << 8 + Int(header[2])
            if header[3] == 1 {
                try #require(header[4] & 0x28 == 0, "HEADERS frame with padding or priority")
                blocks.append(Array(rest.dropFirst(9).prefix(length)))
            }
            rest = rest.dropFirst(9 + length)
        }
        return blocks
    }

    static func read(_ block: [UInt8]) -> [Self] {
        var result: [Self] = []
        var rest = block[...]
        while let first = rest.first {
            let (form, prefix): (Self, Int) =
                if first & 0x80 != 0 {
                    (.indexed, 7)
                } else if first & 0x40 != 0 {
                    (.incremental, 6)
                } else if first & 0x20 != 0 {
                    // A change of the table size represents no field.
                    (.indexed, 5)
                } else {
                    (first & 0x10 != 0 ? .neverIndexed : .withoutIndexing, 4)
                }
            let index = integer(&rest, prefix: prefix)
            if first & 0xE0 == 0x20 { continue }
            result.append(form)
            guard form != .indexed else { continue }
            if index == 0 { skipString(&rest) }
            skipString(&rest)
        }
        return result
    }

    private static func integer(_ bytes: inout ArraySlice<UInt8>, prefix: Int) -> Int {
        let mask = 1 << prefix - 1
        var value = Int(bytes.popFirst() ?? 0) & mask
        guard value == mask else { return value }
        var shift = 0
        while let byte = bytes.popFirst() {
            value += Int(byte & 0x7F) << shift
            shift += 7
            if byte & 0x80 == 0 { break }
        }
        return value
    }

    private static func skipString(_ bytes: inout ArraySlice<UInt8>) {
        let length = integer(&bytes, prefix: 7)
        bytes = bytes.dropFirst(length)
    }
}
