extension AMQPFieldTable {
    /// The maximum size on the wire in bytes. Each value of a fixed size counts as nine bytes.
    package var wireSize: Int {
        entries.reduce(4) { $0 + 1 + $1.key.utf8.count + $1.value.wireSize }
    }

    var hasCarriableKeys: Bool {
        entries.allSatisfy { $0.key.utf8.count <= 255 && $0.value.hasCarriableKeys }
    }
}

extension AMQPFieldValue {
    package var wireSize: Int {
        switch self {
        case .string(let text): 5 + text.utf8.count
        case .bytes(let bytes): 5 + bytes.count
        case .array(let values): values.reduce(5) { $0 + $1.wireSize }
        case .table(let table): 1 + table.wireSize
        default: 9
        }
    }

    var hasCarriableKeys: Bool {
        switch self {
        case .table(let table): table.hasCarriableKeys
        case .array(let values): values.allSatisfy(\.hasCarriableKeys)
        default: true
        }
    }
}
