/// A splitter that cuts a stream of bytes into lines. Between calls it keeps at most one incomplete line.
package struct LineSplitter {
    package static let longestLine = 64 * 1024

    private var rest: [UInt8] = []
    private var isSkipping = false

    package init() {}

    /// Calls `line` with each complete line, without its line end, or with `nil` if the line is too long. The buffer is
    /// valid only during the call.
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

    /// Calls `line` with the incomplete line at the end of the stream, if there is one.
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
