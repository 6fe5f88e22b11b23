/// The named, typed values of headers and arguments (AMQP 0-9-1, section 4.2.5.5), in their order on the wire.
///
/// Look-ups search the entries one after another, because tables have few entries.
package struct AMQPFieldTable: Sendable, Hashable, ExpressibleByDictionaryLiteral {
    package struct Entry: Sendable, Hashable {
        package let key: String
        package var value: AMQPFieldValue

        package init(key: String, value: AMQPFieldValue) {
            self.key = key
            self.value = value
        }
    }

    package private(set) var entries: [Entry]

    package init(entries: [Entry] = []) {
        self.entries = entries
    }

    package init(dictionaryLiteral elements: (String, AMQPFieldValue)...) {
        entries = elements.map { Entry(key: $0.0, value: $0.1) }
    }

    package var isEmpty: Bool { entries.isEmpty }

    /// The first value for a key, or `nil` if the key is missing. Assigning `nil` removes all values for the key.
    package subscript(key: String) -> AMQPFieldValue? {
        get { entries.first { $0.key == key }?.value }
        set {
            guard let newValue else { return entries.removeAll { $0.key == key } }
            if let index = entries.firstIndex(where: { $0.key == key }) {
                entries[index].value = newValue
            } else {
                entries.append(Entry(key: key, value: newValue))
            }
        }
    }
}
