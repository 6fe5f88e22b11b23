/// Cuts a stream of bytes into lines, keeping no more than one line beside what it was given.
package struct LineSplitter {
    package static let longestLine = 64 * 1024

    private var rest: [UInt8] = []
    private var isSkipping = false

    package init() {}

    /// Lends each line that is complete, without its end; nil in place of one that is too long.
    package mutating func feed<E: Error>(
        _ bytes: [UInt8], _ line: (UnsafeBufferPointer<UInt8>?) throws(E) -> Void
    ) throws(E) {
        var start = 0
        while let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) {
            if rest.isEmpty, !isSkipping {
                try lend(bytes[start..<end], line)
            } else {
                keep(bytes[start..<end])
                try finish(line)
            }
            start = end + 1
        }
        if start < bytes.count { keep(bytes[start...]) }
    }

    /// Lends what comes after the last line end.
    package mutating func end<E: Error>(_ line: (UnsafeBufferPointer<UInt8>?) throws(E) -> Void) throws(E) {
        if isSkipping || !rest.isEmpty { try finish(line) }
    }

    private mutating func keep(_ part: ArraySlice<UInt8>) {
        if isSkipping || rest.count + part.count > Self.longestLine {
            isSkipping = true
            rest = []
        } else {
            rest += part
        }
    }

    private mutating func finish<E: Error>(_ line: (UnsafeBufferPointer<UInt8>?) throws(E) -> Void) throws(E) {
        let (whole, isTooLong) = (rest, isSkipping)
        rest.removeAll(keepingCapacity: true)
        isSkipping = false
        if isTooLong { try line(nil) } else { try lend(whole[...], line) }
    }

    private func lend<E: Error>(
        _ part: ArraySlice<UInt8>, _ line: (UnsafeBufferPointer<UInt8>?) throws(E) -> Void
    ) throws(E) {
        guard part.count <= Self.longestLine else { return try line(nil) }
        let text = part.last == UInt8(ascii: "\r") ? part.dropLast() : part
        try text.withUnsafeBufferPointer(line)
    }
}
