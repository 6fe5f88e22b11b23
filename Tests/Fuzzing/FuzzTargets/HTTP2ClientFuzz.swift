import HTTP2Session

/// A fuzz target for a client session whose server may send anything. The first bytes choose the number of open
/// requests, the size of their bodies, and the size of the pieces in which the server's bytes arrive. Steps follow.
enum HTTP2ClientFuzz {
    static func violation(in input: UnsafeRawBufferPointer) -> String? {
        var input = InputReader(input)
        let shape = input.byte()
        let pieceSize = Int(input.byte()) + 1
        do {
            let session = try HTTP2ClientSession()
            let conversation = ClientConversation(
                session: session, body: shape & 0x10 == 0 ? SampleBody.small : SampleBody.large)
            defer { session.detachDelegate() }
            for _ in 0..<shape & 0x07 { conversation.submit() }
            if shape & 0x08 == 0 {
                conversation.receive(FrameEncoder.frame(type: 4, flags: 0, stream: 0, payload: []), pieceSize)
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

    private static func step(_ conversation: ClientConversation, _ input: inout InputReader, _ pieceSize: Int) {
        let kind = input.byte() % 22
        switch kind {
        case 16: conversation.submit()
        case 17: conversation.reset(Int32(input.byte()))
        case 18: conversation.ping()
        case 19, 20: conversation.collect()
        case 21: conversation.goAway()
        default:
            conversation.receive(FrameEncoder.step(kind, &input, statusFields: true), pieceSize)
        }
    }
}

/// The owner of the client session. It checks the guarantees of `HTTP2ClientDelegate`.
private final class ClientConversation: HTTP2ClientDelegate {
    private enum Phase {
        case waiting, started, ended, closed
    }

    let session: HTTP2ClientSession
    let rules = SessionRules()
    private var phases: [Phase] = []
    private let body: HTTP2Body
    private static let fields = try? HTTP2Fields([
        HTTP2Field(":method", "POST"), HTTP2Field(":scheme", "https"), HTTP2Field(":authority", "push.example"),
    ])
    private static let noFields = try? HTTP2Fields([])

    init(session: HTTP2ClientSession, body: HTTP2Body) {
        self.session = session
        self.body = body
        session.delegate = self
    }

    func submit() {
        guard phases.count < 64, let fields = Self.fields, let noFields = Self.noFields else { return }
        do throws(HTTP2Error) {
            let tag = phases.count
            _ = try "/3/device/aa".utf8.withContiguousStorageIfAvailable { path in
                Result { () throws(HTTP2Error) in
                    try session.submit(
                        connectionFields: fields, path: UnsafeRawBufferPointer(path), requestFields: noFields,
                        body: body, tag: tag)
                }
            }?.get()
            phases.append(.waiting)
        } catch {
            if session.takesRequests { rules.break("a session that takes requests refused one: \(error)") }
        }
    }

    func reset(_ stream: Int32) { try? session.reset(stream) }
    func ping() { try? session.ping(7) }
    func goAway() { try? session.goAway() }

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

    func responseStarted(tag: Int, status: Int) {
        if !(200...999).contains(status) { rules.break("status \(status)") }
        note(tag, "start", from: .waiting, to: .started)
    }

    func responseField(tag: Int, name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        if name.isEmpty || name.first == UInt8(ascii: ":") { rules.break("a field that is none") }
        rules.touch(name)
        rules.touch(value)
        note(tag, "field", from: .started, to: .started)
    }

    func responseData(tag: Int, _ bytes: UnsafeRawBufferPointer) {
        rules.touch(bytes)
        note(tag, "data", from: .started, to: .started)
    }

    func responseEnded(tag: Int) { note(tag, "end", from: .started, to: .ended) }

    func streamClosed(tag: Int, streamID: Int32, code: HTTP2ErrorCode) {
        if streamID <= 0 || streamID % 2 == 0 { rules.break("request \(tag) on stream \(streamID)") }
        note(tag, "close", from: .waiting, .started, .ended, to: .closed)
    }

    func peerSettingsChanged() {
        if session.peerMaxConcurrentStreams == nil { rules.break("settings came, and there are none") }
    }

    func goAwayReceived(lastStreamID: Int32, code: HTTP2ErrorCode, debugData: UnsafeRawBufferPointer) {
        if session.takesRequests { rules.break("requests are taken after GOAWAY") }
        if lastStreamID < 0 { rules.break("GOAWAY with last stream \(lastStreamID)") }
        rules.touch(debugData)
    }

    func pingAcknowledged(_ payload: UInt64) {}
}
