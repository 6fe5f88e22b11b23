import HTTP2Session

/// Sample bodies for both sides: one that fits every window, and one that exceeds every initial window.
enum SampleBody {
    static let small = HTTP2Body(repeatElement(0x20, count: 20))
    static let large = HTTP2Body(repeatElement(0x20, count: 70_000))
}
