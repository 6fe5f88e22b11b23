/// A request on the wire, with the part of its answer that has arrived.
package struct InFlightRequest {
    /// The tag by which the client identifies the request.
    package let tag: Int
    package let streamID: Int32
    /// The maximum number of bytes to keep of this request's answer body. The configuration's limit applies as well.
    private let maximumAnswerBytes: Int32
    /// The time at which the request was sent, in milliseconds of ``Uptime``.
    package let sentAt: Int64
    package var status = 0
    package private(set) var body: [UInt8] = []
    package private(set) var isTooLong = false
    /// Whether this client reset the stream because no answer arrived in time.
    package internal(set) var isGivenUp = false

    /// Whether the server accepted the request, even if the rest of its answer is missing.
    package var isAccepted: Bool { (200..<300).contains(status) }

    package init(tag: Int, streamID: Int32, sentAt: Int64) {
        self.tag = tag
        self.streamID = streamID
        self.sentAt = sentAt
        maximumAnswerBytes = .max
    }

    init(_ request: PoolRequest, streamID: Int32, sentAt: Int64) {
        tag = request.tag
        self.streamID = streamID
        self.sentAt = sentAt
        maximumAnswerBytes = request.maximumAnswerBytes
    }

    /// Appends a piece of the answer's body. At most `maximum` bytes of the body are kept in total.
    package mutating func append(_ bytes: UnsafeRawBufferPointer, maximum: Int) {
        let room = min(maximum, Int(maximumAnswerBytes)) - body.count
        isTooLong = isTooLong || bytes.count > room
        body.append(contentsOf: bytes.prefix(max(0, room)))
    }
}
