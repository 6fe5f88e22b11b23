/// A writer that appends the members of one JSON object to a byte array.
package struct JSONObjectWriter {
    private var output: [UInt8]
    private var isEmpty = true

    package init(capacity: Int) {
        output = []
        output.reserveCapacity(capacity)
        output.append(UInt8(ascii: "{"))
    }

    package mutating func member(_ name: StaticString, string value: String) {
        key(name)
        JSONText.append(value, to: &output)
    }

    package mutating func member(_ name: StaticString, integer value: Int64) {
        key(name)
        output.append(contentsOf: String(value).utf8)
    }

    /// Appends a member whose value is already JSON.
    package mutating func member(_ name: StaticString, raw value: some Collection<UInt8>) {
        key(name)
        output.append(contentsOf: value)
    }

    /// Appends a member whose value is an array. `body` writes the elements and the commas between them.
    package mutating func array(_ name: StaticString, _ body: (inout [UInt8]) -> Void) {
        key(name)
        output.append(UInt8(ascii: "["))
        body(&output)
        output.append(UInt8(ascii: "]"))
    }

    package consuming func finish() -> [UInt8] {
        output.append(UInt8(ascii: "}"))
        return output
    }

    private mutating func key(_ name: StaticString) {
        if !isEmpty { output.append(UInt8(ascii: ",")) }
        isEmpty = false
        output.append(UInt8(ascii: "\""))
        output.append(contentsOf: UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
        output.append(UInt8(ascii: "\""))
        output.append(UInt8(ascii: ":"))
    }
}
