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

    package mutating func take(bodyBytes: Int) {
        streams -= 1
        bytes -= bodyBytes
    }
}

/// The peer's limits at this moment and what is used of them.
package struct FlowLimits {
    package var openStreams: Int
    /// Nil before the first SETTINGS.
    package var maximumStreams: Int?
    /// Of the connection (RFC 9113, section 6.9).
    package var sendWindow: Int
    /// Of a new stream.
    package var streamWindow: Int
    /// Bytes of body that have been submitted and not sent.
    package var unsentBytes: Int

    package init(openStreams: Int, maximumStreams: Int?, sendWindow: Int, streamWindow: Int, unsentBytes: Int) {
        self.openStreams = openStreams
        self.maximumStreams = maximumStreams
        self.sendWindow = sendWindow
        self.streamWindow = streamWindow
        self.unsentBytes = unsentBytes
    }
}
