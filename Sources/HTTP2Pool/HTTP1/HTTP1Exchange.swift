/// The requests of one HTTP/1.1 connection, one after the other. A value: what is sent and what comes goes in, what it
/// means comes out.
package struct HTTP1Exchange {
    /// How long a connection is kept without a request where the server does not say how long it does: less than the
    /// 5 s after which widespread servers close, because what is sent into a close is lost.
    package static let idleMilliseconds: Int64 = 3_000
    /// A server's word on that, in milliseconds, less than this: the way to it, and the second between two looks.
    package static let idleMarginMilliseconds: Int64 = 2_000

    package init() {}

    /// Of the latest request; the first has 1.
    package private(set) var number: Int32 = 0
    /// The caller's number for the request under way; nil: there is none.
    package private(set) var tag: Int?
    /// A byte of the latest request may have left.
    package private(set) var hasLeft = false
    /// Neither this side nor the other has said that there will be no other request.
    package private(set) var takesRequests = true
    package private(set) var idleMilliseconds = Self.idleMilliseconds
    private var isWritten = false

    package var isIdle: Bool { tag == nil }

    /// - Returns: its number.
    package mutating func begin(tag: Int) -> Int32 {
        self.tag = tag
        number += 1
        hasLeft = false
        isWritten = false
        return number
    }

    package mutating func flushed() { hasLeft = true }

    /// The last byte of this request has left.
    package mutating func written(_ number: Int32) { isWritten = isWritten || number == self.number }

    /// - Parameters:
    ///   - keepsAlive: the connection stays open after this answer (RFC 9112, section 9.3).
    ///   - idleSeconds: how long the server says it keeps it.
    package mutating func answerBegan(status: Int, keepsAlive: Bool, idleSeconds: Int64?) {
        // 101: nobody has asked for another protocol.
        takesRequests = takesRequests && keepsAlive && status != 101
        if let idleSeconds {
            idleMilliseconds = max(0, min(max(0, idleSeconds), 3_600) * 1000 - Self.idleMarginMilliseconds)
        }
    }

    /// The answer is whole. Where it came before all of the request had left, the rest of that is in the way.
    package mutating func answerEnded() {
        tag = nil
        takesRequests = takesRequests && isWritten
    }

    /// Nothing more is to come of it.
    package mutating func end() {
        tag = nil
        takesRequests = false
    }
}
