/// The state of one HTTP/1.1 connection, which carries one request at a time. A value type without clock or I/O.
package struct HTTP1Exchange {
    /// The time for which an idle connection is kept if the server announces no limit, in milliseconds. Widely used
    /// servers close idle connections after 5 s, and a request that is sent during the close is lost.
    package static let idleMilliseconds: Int64 = 3_000
    /// The margin to subtract from the limit that the server announces, in milliseconds. It covers the network and the
    /// second between two checks.
    package static let idleMarginMilliseconds: Int64 = 2_000

    package init() {}

    /// The number of the latest request. The first request has number 1.
    package private(set) var number: Int32 = 0
    /// The caller's tag for the request in flight, or `nil` if there is none.
    package private(set) var tag: Int?
    /// Whether a byte of the latest request may have been sent.
    package private(set) var hasLeft = false
    /// Whether both sides still accept another request on this connection.
    package private(set) var takesRequests = true
    package private(set) var idleMilliseconds = Self.idleMilliseconds
    private var isWritten = false

    package var isIdle: Bool { tag == nil }

    /// Begins a request.
    ///
    /// - Returns: The number of the request.
    package mutating func begin(tag: Int) -> Int32 {
        self.tag = tag
        number += 1
        hasLeft = false
        isWritten = false
        return number
    }

    package mutating func flushed() { hasLeft = true }

    /// Records that the last byte of this request was sent.
    package mutating func written(_ number: Int32) { isWritten = isWritten || number == self.number }

    /// Records the head of an answer.
    ///
    /// - Parameters:
    ///   - keepsAlive: Whether the connection stays open after this answer (RFC 9112, section 9.3).
    ///   - idleSeconds: How long the server keeps an idle connection, in seconds, or `nil` if the server does not
    ///     announce it.
    package mutating func answerBegan(status: Int, keepsAlive: Bool, idleSeconds: Int64?) {
        // Status 101 switches to another protocol, which was never requested.
        takesRequests = takesRequests && keepsAlive && status != 101
        if let idleSeconds {
            idleMilliseconds = max(0, min(max(0, idleSeconds), 3_600) * 1000 - Self.idleMarginMilliseconds)
        }
    }

    /// Records that the answer is complete. If it arrived before the whole request was sent, no other request can
    /// follow.
    package mutating func answerEnded() {
        tag = nil
        takesRequests = takesRequests && isWritten
    }

    /// Ends the request in flight and accepts no further requests.
    package mutating func end() {
        tag = nil
        takesRequests = false
    }
}
