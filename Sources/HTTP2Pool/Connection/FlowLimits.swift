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
