/// The streams and body bytes that a connection can take now. A request needs both a free stream and free bytes.
package struct Room: Equatable {
    /// The number of streams that may be opened.
    package var streams: Int
    /// The number of body bytes that can be sent at once. The last body may exceed this number. Its beginning is then
    /// sent at once, and the rest after the next WINDOW_UPDATE. Therefore at most one body waits inside the connection,
    /// and a body larger than any window can still be sent.
    package var bytes: Int

    package init(streams: Int, bytes: Int) {
        self.streams = streams
        self.bytes = bytes
    }

    package static let none = Room(streams: 0, bytes: 0)

    package var isEmpty: Bool { streams <= 0 || bytes <= 0 }

    /// Whether streams are free but the window has no bytes for them.
    package var isBlockedByWindow: Bool { streams > 0 && bytes <= 0 }

    package mutating func take(bodyBytes: Int) {
        streams -= 1
        bytes -= bodyBytes
    }
}
