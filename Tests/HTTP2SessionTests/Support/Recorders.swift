import HTTP2Session

/// A delegate that records the callbacks of a client session.
final class ClientRecorder: HTTP2ClientDelegate {
    struct Response: Equatable {
        var status: Int?
        var fields: [String] = []
        var body: [UInt8] = []
        var ended = false
        var closed: HTTP2ErrorCode?
    }

    var responses: [Int: Response] = [:]
    var settingsChanges = 0
    var goAways: [(lastStreamID: Int32, code: HTTP2ErrorCode, debugData: String)] = []
    var pings: [UInt64] = []
    weak var session: HTTP2ClientSession?
    var onClose: ((_ tag: Int) -> Void)?

    func responseStarted(tag: Int, status: Int) {
        responses[tag, default: Response()].status = status
    }

    func responseField(tag: Int, name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        responses[tag, default: Response()].fields.append(
            "\(String(decoding: name, as: UTF8.self)): \(String(decoding: value, as: UTF8.self))")
    }

    func responseData(tag: Int, _ bytes: UnsafeRawBufferPointer) {
        responses[tag, default: Response()].body.append(contentsOf: bytes)
    }

    func responseEnded(tag: Int) {
        responses[tag, default: Response()].ended = true
    }

    func streamClosed(tag: Int, streamID: Int32, code: HTTP2ErrorCode) {
        responses[tag, default: Response()].closed = code
        onClose?(tag)
    }

    func peerSettingsChanged() {
        settingsChanges += 1
    }

    func goAwayReceived(lastStreamID: Int32, code: HTTP2ErrorCode, debugData: UnsafeRawBufferPointer) {
        goAways.append((lastStreamID, code, String(decoding: debugData, as: UTF8.self)))
    }

    func pingAcknowledged(_ payload: UInt64) {
        pings.append(payload)
    }
}

/// A delegate that records the callbacks of a server session, and answers each request with `answer`.
final class ServerRecorder: HTTP2ServerDelegate {
    struct Request: Equatable {
        var streamID: Int32
        var fields: [String] = []
        var body: [UInt8] = []
        var ended = false
        var closed: HTTP2ErrorCode?
    }

    var requests: [Request] = []
    var acknowledgements = 0
    var trailers: [String] = []
    var refused: [Int32] = []
    var malformed: [String] = []
    var goAways: [HTTP2ErrorCode] = []
    var pings: [UInt64] = []
    var mostOpen = 0
    weak var session: HTTP2ServerSession?
    var answer: (HTTP2ServerSession, Request) throws -> Void = { session, request in
        try session.respond(to: request.streamID, fields: okFields())
    }
    var answerErrors: [any Error] = []

    func requestStarted(streamID: Int32) -> Int {
        requests.append(Request(streamID: streamID))
        return requests.count - 1
    }

    func requestField(tag: Int, name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        requests[tag].fields.append(
            "\(String(decoding: name, as: UTF8.self)): \(String(decoding: value, as: UTF8.self))")
    }

    func requestData(tag: Int, _ bytes: UnsafeRawBufferPointer) {
        requests[tag].body.append(contentsOf: bytes)
    }

    func requestEnded(tag: Int, streamID: Int32) {
        requests[tag].ended = true
        guard let session else { return }
        mostOpen = max(mostOpen, session.openStreams)
        do {
            try answer(session, requests[tag])
        } catch {
            answerErrors.append(error)
        }
    }

    func streamClosed(tag: Int, streamID: Int32, code: HTTP2ErrorCode) {
        requests[tag].closed = code
    }

    func requestTrailer(tag: Int, name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        trailers.append("\(String(decoding: name, as: UTF8.self)): \(String(decoding: value, as: UTF8.self))")
    }

    func requestRefused(streamID: Int32) {
        refused.append(streamID)
    }

    func requestMalformed(streamID: Int32, problem: String) {
        malformed.append(problem)
    }

    func settingsAcknowledged() {
        acknowledgements += 1
    }

    func goAwayReceived(lastStreamID: Int32, code: HTTP2ErrorCode, debugData: UnsafeRawBufferPointer) {
        goAways.append(code)
    }

    func pingAcknowledged(_ payload: UInt64) {
        pings.append(payload)
    }
}

func okFields() throws -> HTTP2Fields {
    try HTTP2Fields([HTTP2Field(":status", "200")])
}
