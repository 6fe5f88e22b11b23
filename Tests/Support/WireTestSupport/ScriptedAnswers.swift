import HTTP2Session
import NIOCore
import Foundations

/// A connection of a ``ScriptedServer`` that answers requests.
// why: unchecked because it is used only on its connection's event loop, which also runs its scheduled tasks.
final class ScriptedAnswers: HTTP2ServerDelegate, @unchecked Sendable {
    let session: HTTP2ServerSession
    /// A closure that sends delayed answers. The channel's handler sends the answers that are written during a read.
    var flush = {}
    private let eventLoop: any EventLoop
    private let answer: @Sendable (ScriptedServer.Request) -> ScriptedServer.Answer?
    private let record: ScriptedServer.Record
    private var open: [ScriptedServer.Request] = []

    init(
        _ answer: @escaping @Sendable (ScriptedServer.Request) -> ScriptedServer.Answer?,
        _ record: ScriptedServer.Record, _ eventLoop: any EventLoop
    ) throws {
        self.eventLoop = eventLoop
        self.answer = answer
        self.record = record
        session = try HTTP2ServerSession(settings: HTTP2Settings(maxConcurrentStreams: 100))
        session.delegate = self
    }

    func requestStarted(streamID: Int32) -> Int {
        if open.isEmpty { record.connections.withLock { $0 += 1 } }
        open.append(ScriptedServer.Request())
        return open.count - 1
    }

    func requestField(tag: Int, name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        open[tag].fields[String(decoding: name, as: UTF8.self)] = String(decoding: value, as: UTF8.self)
    }

    func requestData(tag: Int, _ bytes: UnsafeRawBufferPointer) {
        open[tag].bytes += bytes
    }

    func requestEnded(tag: Int, streamID: Int32) {
        let request = open[tag]
        record.requests.withLock { $0.append(request) }
        guard let answer = answer(request) else { return }
        guard answer.delay > 0 else { return respond(answer, to: streamID) }
        eventLoop.scheduleTask(in: .milliseconds(answer.delay)) {
            self.respond(answer, to: streamID)
            self.flush()
        }
    }

    private func respond(_ answer: ScriptedServer.Answer, to streamID: Int32) {
        let fields = [HTTP2Field(":status", "\(answer.status)")] + answer.fields.map { HTTP2Field($0, $1) }
        try? session.respond(to: streamID, fields: HTTP2Fields(fields), body: HTTP2Body(answer.body.utf8))
    }

    func streamClosed(tag: Int, streamID: Int32, code: HTTP2ErrorCode) {}
    func settingsAcknowledged() {}
    func goAwayReceived(lastStreamID: Int32, code: HTTP2ErrorCode, debugData: UnsafeRawBufferPointer) {}
    func pingAcknowledged(_ payload: UInt64) {}
}
