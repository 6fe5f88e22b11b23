/// A decoder for the body of a message that was published with AMQP 1.0 in any form other than data sections. RabbitMQ
/// delivers such a body as encoded sections and sets the property `type` to `amqp-1.0` (rabbitmq.com, "AMQP 1.0",
/// conversions; AMQP 1.0, parts 1.6 and 3.2).
package enum EncodedBody {
    package enum Fault: Error, Sendable, Hashable {
        /// The bytes end too early, or the sections do not form a body.
        case malformed
        /// The body is neither one string nor one binary. The text names the type that was found.
        case unsuitable(String)
    }

    /// The value of the property `type` that RabbitMQ sets on a message with encoded sections. A publisher may also set
    /// it.
    package static let type = "amqp-1.0"
    /// The maximum number of bytes that the encoding adds to a body of a single section.
    package static let overhead = 64

    private enum Section {
        case data, sequence, value, footer

        init?(code: UInt64) {
            switch code {
            case 0x75: self = .data
            case 0x76: self = .sequence
            case 0x77: self = .value
            case 0x78: self = .footer
            default: return nil
            }
        }

        init?(symbol: some Sequence<UInt8>) {
            switch String(decoding: Array(symbol), as: UTF8.self) {
            case "amqp:data:binary": self = .data
            case "amqp:amqp-sequence:list": self = .sequence
            case "amqp:amqp-value:*": self = .value
            case "amqp:footer:map": self = .footer
            default: return nil
            }
        }
    }

    /// Returns the string or binary in the sections. Data sections are joined.
    package static func content(of body: [UInt8]) throws(Fault) -> [UInt8] {
        do {
            return try body.withUnsafeBytes { bytes in
                var reader = WireReader(bytes)
                return try content(&reader)
            }
        } catch {
            throw error as? Fault ?? .malformed
        }
    }

    private static func content(_ reader: inout WireReader) throws -> [UInt8] {
        var content: [UInt8] = []
        var last: Section?
        while !reader.isAtEnd {
            let section = try section(&reader)
            switch (last, section) {
            case (nil, .value): content += try text(&reader)
            case (nil, .data), (.data, .data): content += try binary(&reader)
            case (nil, .sequence): throw Fault.unsuitable("an amqp-sequence")
            case (.value, .footer), (.data, .footer): try skipMap(&reader)
            default: throw Fault.malformed
            }
            last = section
        }
        guard last != nil else { throw Fault.malformed }
        return content
    }

    /// Reads the descriptor of a section, which is a number or the full name.
    private static func section(_ reader: inout WireReader) throws -> Section {
        guard try reader.integer(UInt8.self) == 0x00 else { throw Fault.malformed }
        let section: Section? =
            switch try reader.integer(UInt8.self) {
            case 0x53: Section(code: UInt64(try reader.integer(UInt8.self)))
            case 0x80: Section(code: try reader.integer(UInt64.self))
            case 0xA3: Section(symbol: try short(&reader))
            case 0xB3: Section(symbol: try reader.takeLong())
            default: nil
            }
        guard let section else { throw Fault.malformed }
        return section
    }

    private static func text(_ reader: inout WireReader) throws -> [UInt8] {
        switch try reader.integer(UInt8.self) {
        case 0xA0, 0xA1: return Array(try short(&reader))
        case 0xB0, 0xB1: return Array(try reader.takeLong())
        case let code: throw Fault.unsuitable(name(of: code))
        }
    }

    private static func binary(_ reader: inout WireReader) throws -> [UInt8] {
        switch try reader.integer(UInt8.self) {
        case 0xA0: return Array(try short(&reader))
        case 0xB0: return Array(try reader.takeLong())
        default: throw Fault.malformed
        }
    }

    private static func skipMap(_ reader: inout WireReader) throws {
        switch try reader.integer(UInt8.self) {
        case 0xC1: _ = try short(&reader)
        case 0xD1: _ = try reader.takeLong()
        default: throw Fault.malformed
        }
    }

    private static func short(_ reader: inout WireReader) throws -> UnsafeRawBufferPointer {
        try reader.take(Int(try reader.integer(UInt8.self)))
    }

    /// Returns a name for the type of a value, for error messages.
    ///
    /// - Parameter code: the constructor of the value, which is its first byte.
    private static func name(of code: UInt8) -> String {
        switch code {
        case 0x40: "null"
        case 0x41, 0x42, 0x56: "a boolean"
        case 0xA3, 0xB3: "a symbol"
        case 0x45, 0xC0, 0xD0: "a list"
        case 0xC1, 0xD1: "a map"
        case 0xE0, 0xF0: "an array"
        case 0x50...0x8F: "a number"
        default: "a value of another type"
        }
    }
}

extension AMQPDelivery {
    /// Returns the body as its publisher wrote it, with AMQP 0-9-1 or 1.0. A body that does not begin with an encoded
    /// section is returned unchanged, because any publisher may set `type`.
    package func content() throws(EncodedBody.Fault) -> [UInt8] {
        properties.type == EncodedBody.type && body.first == 0x00 ? try EncodedBody.content(of: body) : body
    }
}
