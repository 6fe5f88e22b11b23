/// The streams and body bytes that a connection can take now. The scarcer one limits requests.
package struct Room: Equatable {
    /// The number of streams that may be opened.
    package var streams: Int
    /// The number of body bytes that would leave at once. The last body may exceed it: its beginning leaves, and the
    /// rest leaves with the next WINDOW_UPDATE. So at most one body waits inside the connection, and a body larger than
    /// any window can still be sent.
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
