/// What a connection can take now: whichever ends first, its streams or its window.
package struct Room: Equatable {
    /// Streams that may be opened.
    package var streams: Int
    /// Bytes of body that would leave at once. The last body may be larger than what is left of it: its
    /// beginning leaves, its rest with the next WINDOW_UPDATE. So no more than one body waits inside the
    /// connection, and one that is larger than any window still goes.
    package var bytes: Int

    package init(streams: Int, bytes: Int) {
        self.streams = streams
        self.bytes = bytes
    }

    package static let none = Room(streams: 0, bytes: 0)

    package var isEmpty: Bool { streams <= 0 || bytes <= 0 }

    /// There are streams, and no bytes for them.
    package var isBlockedByWindow: Bool { streams > 0 && bytes <= 0 }

    package mutating func take(bodyBytes: Int) {
        streams -= 1
        bytes -= bodyBytes
    }
}
