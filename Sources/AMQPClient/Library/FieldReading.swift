/// A reader of field tables (AMQP 0-9-1, section 4.2.5.5, with RabbitMQ's interpretation of the type letters). The
/// tables come from publishers and may contain anything.
struct FieldReader {
    /// The first problem that was found, for humans, or `nil` if everything was readable.
    private(set) var problem: String?

    /// Reads a table.
    ///
    /// - Parameter depth: the depth of the table itself, which is 1 for the outermost one.
    mutating func table(_ bytes: UnsafeRawBufferPointer, depth: Int = 1) -> AMQPFieldTable {
        var reader = WireReader(bytes)
        var entries: [AMQPFieldTable.Entry] = []
        entries.reserveCapacity(min(bytes.count / 8, 8))
        do throws(WireReader.Unreadable) {
            while !reader.isAtEnd {
                let key = try reader.shortString()
                entries.append(.init(key: key, value: try value(&reader, depth: depth)))
            }
        } catch {
            problem = problem ?? error.problem
        }
        return AMQPFieldTable(entries: entries)
    }

    private mutating func array(_ bytes: UnsafeRawBufferPointer, depth: Int) -> [AMQPFieldValue] {
        var reader = WireReader(bytes)
        var values: [AMQPFieldValue] = []
        do throws(WireReader.Unreadable) {
            while !reader.isAtEnd { values.append(try value(&reader, depth: depth)) }
        } catch {
            problem = problem ?? error.problem
        }
        return values
    }

    /// Reads a value.
    ///
    /// - Parameter depth: the depth of the table or array that contains the value.
    private mutating func value(
        _ reader: inout WireReader, depth: Int
    ) throws(WireReader.Unreadable) -> AMQPFieldValue {
        let letter = try reader.integer(UInt8.self)
        switch Unicode.Scalar(letter) {
        case "t": return .boolean(try reader.integer(UInt8.self) != 0)
        case "b": return .int8(try reader.integer())
        case "B": return .uint8(try reader.integer())
        case "s": return .int16(try reader.integer())
        case "u": return .uint16(try reader.integer())
        case "I": return .int32(try reader.integer())
        case "i": return .uint32(try reader.integer())
        case "l": return .int64(try reader.integer())
        case "L": return .uint64(try reader.integer())
        case "f": return .float(Float(bitPattern: try reader.integer()))
        case "d": return .double(Double(bitPattern: try reader.integer()))
        case "D": return .decimal(scale: try reader.integer(), value: try reader.integer())
        case "S": return Self.text(try reader.takeLong())
        case "x": return .bytes(Array(try reader.takeLong()))
        case "T": return .timestamp(try reader.integer())
        case "V": return .void
        case "A":
            let inside = try reader.takeLong()
            return isTooDeep(depth) ? .void : .array(array(inside, depth: depth + 1))
        case "F":
            let inside = try reader.takeLong()
            return isTooDeep(depth) ? .void : .table(table(inside, depth: depth + 1))
        default:
            throw WireReader.Unreadable(problem: "have a value of the unknown type \(letter)")
        }
    }

    private mutating func isTooDeep(_ depth: Int) -> Bool {
        guard depth >= AMQPFieldTable.maximumDepth else { return false }
        problem = problem ?? "are nested deeper than \(AMQPFieldTable.maximumDepth) levels"
        return true
    }

    private static func text(_ bytes: UnsafeRawBufferPointer) -> AMQPFieldValue {
        String(validating: bytes, as: UTF8.self).map { .string($0) } ?? .bytes(Array(bytes))
    }
}

extension AMQPFieldTable {
    /// The maximum depth of nested tables and arrays. A frame of 131,072 bytes has room for about 26,000 levels, and
    /// reading them by recursion would overflow a thread's stack. Useful tables are not nested this deeply. Deeper
    /// values become ``AMQPFieldValue/void``.
    package static let maximumDepth = 32
}
