import HTTP2Session

/// A fuzz target for a server session whose client may send anything. The first byte chooses the server's settings,
/// the size of its answers, and whether the client starts with a preface. The second is the size of the pieces in which
/// the client's bytes arrive. Steps follow.
enum HTTP2ServerFuzz {
    static func violation(in input: UnsafeRawBufferPointer) -> String? {
        var input = InputReader(input)
        let shape = input.byte()
        let pieceSize = Int(input.byte()) + 1
        do {
            let session = try HTTP2ServerSession(
                settings: HTTP2Settings(
                    maxConcurrentStreams: shape & 0x01 == 0 ? nil : 2, maxHeaderListSize: shape & 0x02 == 0 ? nil : 500),
                grantsWindowByHand: shape & 0x04 != 0)
            let conversation = ServerConversation(
                session: session, body: shape & 0x10 == 0 ? SampleBody.small : SampleBody.large)
            defer { session.detachDelegate() }
            if shape & 0x08 == 0 {
                let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
                conversation.receive(
                    preface + FrameEncoder.frame(type: 4, flags: 0, stream: 0, payload: []), pieceSize)
            }
            while !input.isAtEnd, conversation.rules.broken == nil {
                step(conversation, &input, pieceSize)
            }
            conversation.collect()
            conversation.checkEnd()
            return conversation.rules.broken
        } catch {
            return "a session can't be made: \(error)"
        }
    }

    private static func step(_ conversation: ServerConversation, _ input: inout InputReader, _ pieceSize: Int) {
        let kind = input.byte() % 22
        switch kind {
        case 16: try? conversation.session.announceGoAway()
        case 17: try? conversation.session.reset(Int32(input.byte()), code: .cancel)
        case 18: try? conversation.session.changeSettings(HTTP2Settings(maxConcurrentStreams: UInt32(input.byte())))
        case 19, 20: conversation.collect()
        case 21: try? conversation.session.goAway(lastStreamID: conversation.session.lastStreamID)
        default: conversation.receive(FrameEncoder.step(kind, &input, statusFields: false), pieceSize)
        }
    }
}

/// The owner of the server session. It answers each request and checks the guarantees of `HTTP2ServerDelegate`.
private final class ServerConversation: HTTP2ServerDelegate {
    private enum Phase {
        case started, ended, closed
    }

    let session: HTTP2ServerSession
    let rules = SessionRules()
    private var phases: [Phase] = []
    private let body: HTTP2Body
    private static let fields = try? HTTP2Fields([HTTP2Field(":status", "200")])

    init(session: HTTP2ServerSession, body: HTTP2Body) {
        self.session = session
        self.body = body
        session.delegate = self
    }

    func receive(_ bytes: [UInt8], _ pieceSize: Int) { rules.receive(bytes, pieceSize, by: session) }
    func collect() { rules.collect(from: session) }

    func checkEnd() {
        let open = phases.count { $0 != .closed }
        if session.openStreams != open { rules.break("\(session.openStreams) open streams, \(open) not closed") }
        rules.checkEnd(of: session)
    }

    private func note(_ tag: Int, _ event: String, from allowed: Phase..., to next: Phase) {
        guard phases.indices.contains(tag) else { return rules.break("\(event) of unknown request \(tag)") }
        if !allowed.contains(where: { $0 == phases[tag] }) { rules.break("\(event) while \(phases[tag])") }
        phases[tag] = next
    }

    func requestStarted(streamID: Int32) -> Int {
        if streamID <= 0 || streamID % 2 == 0 { rules.break("a request on stream \(streamID)") }
        phases.append(.started)
        return phases.count - 1
    }

    func requestField(tag: Int, name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        rules.touch(name)
        rules.touch(value)
        note(tag, "field", from: .started, to: .started)
    }

    func requestTrailer(tag: Int, name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        rules.touch(name)
        rules.touch(value)
        note(tag, "trailer", from: .started, to: .started)
    }

    func requestRefused(streamID: Int32) {
        if streamID <= 0 || streamID % 2 == 0 { rules.break("a refused request on stream \(streamID)") }
    }

    func requestMalformed(streamID: Int32, problem: String) {
        if problem.isEmpty { rules.break("a malformed request without a problem") }
    }

    func requestData(tag: Int, _ bytes: UnsafeRawBufferPointer) {
        rules.touch(bytes)
        note(tag, "data", from: .started, to: .started)
    }

    func requestEnded(tag: Int, streamID: Int32) {
        note(tag, "end", from: .started, to: .ended)
        if let fields = Self.fields { try? session.respond(to: streamID, fields: fields, body: body) }
    }

    func streamClosed(tag: Int, streamID: Int32, code: HTTP2ErrorCode) {
        note(tag, "close", from: .started, .ended, to: .closed)
    }

    func settingsAcknowledged() {}
    func goAwayReceived(lastStreamID: Int32, code: HTTP2ErrorCode, debugData: UnsafeRawBufferPointer) {
        rules.touch(debugData)
    }
    func pingAcknowledged(_ payload: UInt64) {}
}
