/// What has been heard so far of a request on the wire.
package struct InFlightRequest {
    /// The client's.
    package let tag: Int
    package let streamID: Int32
    /// The most bytes to keep of this request's answer body. The configuration's limit applies as well.
    private let maximumAnswerBytes: Int32
    /// Uptime in milliseconds.
    package let sentAt: Int64
    package var status = 0
    package private(set) var body: [UInt8] = []
    package private(set) var isTooLong = false
    /// We have reset the stream ourselves, because no answer came in time.
    package internal(set) var isGivenUp = false

    /// The server has said that it accepts the request, whatever becomes of the rest of its answer.
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

    /// Keeps a piece of the body. Of a body longer than `maximum` bytes, only the beginning is kept.
    package mutating func append(_ bytes: UnsafeRawBufferPointer, maximum: Int) {
        let room = min(maximum, Int(maximumAnswerBytes)) - body.count
        isTooLong = isTooLong || bytes.count > room
        body.append(contentsOf: bytes.prefix(max(0, room)))
    }
}
