/// The peer's current limits, and how much of each is in use.
package struct FlowLimits {
    package var openStreams: Int
    /// The maximum number of open streams, or `nil` before the first SETTINGS.
    package var maximumStreams: Int?
    /// The send window of the connection, in bytes (RFC 9113, section 6.9).
    package var sendWindow: Int
    /// The initial send window of a new stream, in bytes.
    package var streamWindow: Int
    /// The number of body bytes that have been submitted but not sent.
    package var unsentBytes: Int

    package init(openStreams: Int, maximumStreams: Int?, sendWindow: Int, streamWindow: Int, unsentBytes: Int) {
        self.openStreams = openStreams
        self.maximumStreams = maximumStreams
        self.sendWindow = sendWindow
        self.streamWindow = streamWindow
        self.unsentBytes = unsentBytes
    }
}
