import HTTP2Session

/// Bodies of either side, made once: one that fits every window, and one that no first window lets through.
enum SampleBody {
    static let small = HTTP2Body(repeatElement(0x20, count: 20))
    static let large = HTTP2Body(repeatElement(0x20, count: 70_000))
}
