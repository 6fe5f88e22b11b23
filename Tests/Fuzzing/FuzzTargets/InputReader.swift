/// A reader of a fuzzer's input. After the end of the input, it returns zeros and empty arrays.
struct InputReader {
    private var rest: Slice<UnsafeRawBufferPointer>

    init(_ input: UnsafeRawBufferPointer) {
        rest = input[...]
    }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func byte() -> UInt8 {
        rest.popFirst() ?? 0
    }

    mutating func bytes(_ count: Int) -> [UInt8] {
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }

    mutating func remaining() -> [UInt8] {
        bytes(rest.count)
    }
}
