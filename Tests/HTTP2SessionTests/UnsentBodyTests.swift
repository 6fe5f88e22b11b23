import HTTP2Session
import Testing

/// A session's information about request bodies that it has not yet sent.
@Suite struct UnsentBodyTests {
    @Test func countsBytesAsUnsentUntilSentInDataFrame() throws {
        let pair = try MemoryConnection(grantsWindowByHand: true)
        pair.serverEvents.answer = { _, _ in }
        try pair.exchange()
        var streams: [Int32] = []
        for tag in 0..<8 {
            streams.append(try pair.client.post("/", body: Array(repeating: 1, count: 10_000), tag: tag))
        }
        #expect(pair.client.unsentBodyBytes == 80_000)
        #expect(streams.filter(pair.client.isWritten).isEmpty, "no request may be sent yet")

        // The server grants no window, so the sent bytes fill the connection window of 65,535 bytes.
        try pair.exchange()
        #expect(pair.client.unsentBodyBytes == 80_000 - 65_535)
        #expect(streams.filter(pair.client.isWritten).count == 6)

        for request in pair.serverEvents.requests {
            try pair.server.consume(request.body.count, stream: request.streamID)
        }
        try pair.exchange()
        #expect(pair.client.unsentBodyBytes == 0)
        #expect(streams.allSatisfy(pair.client.isWritten))
        #expect(pair.serverEvents.requests.count { $0.ended } == 8)
    }

    @Test func discardsUnsentBytesOfClosedStream() throws {
        let pair = try MemoryConnection(serverSettings: HTTP2Settings(initialWindowSize: 300), grantsWindowByHand: true)
        try pair.exchange()
        let stream = try pair.client.post("/", body: Array(repeating: 1, count: 1_000))
        try pair.exchange()
        #expect(pair.client.unsentBodyBytes == 700)
        var wasWritten: Bool?
        pair.clientEvents.onClose = { _ in wasWritten = pair.client.isWritten(stream) }
        try pair.client.reset(stream)
        try pair.exchange()
        #expect(wasWritten == false)
        #expect(pair.client.unsentBodyBytes == 0)
    }

    @Test func reportsCompleteRequestAsWrittenWhenStreamCloses() throws {
        let pair = try MemoryConnection()
        pair.serverEvents.answer = { session, request in try session.reset(request.streamID, code: .internalError) }
        try pair.exchange()
        let stream = try pair.client.post("/", body: Array(repeating: 1, count: 1_000))
        var wasWritten: Bool?
        pair.clientEvents.onClose = { _ in wasWritten = pair.client.isWritten(stream) }
        try pair.exchange()
        #expect(wasWritten == true)
        #expect(pair.client.unsentBodyBytes == 0)
    }

    @Test func holdsBodiesWhileStreamWindowIsZero() throws {
        let pair = try MemoryConnection()
        try pair.exchange()
        try pair.server.changeSettings(HTTP2Settings(initialWindowSize: 0))
        try pair.exchange()
        #expect(pair.client.peerInitialStreamWindow == 0)
        let stream = try pair.client.post("/", body: Array(repeating: 1, count: 100))
        try pair.exchange()
        #expect(pair.client.unsentBodyBytes == 100)
        #expect(!pair.client.isWritten(stream))
        try pair.server.changeSettings(HTTP2Settings(initialWindowSize: 50))
        try pair.exchange()
        #expect(pair.client.unsentBodyBytes == 0, "the server must grant window for the bytes that it has read")
        #expect(pair.clientEvents.responses[0]?.status == 200)
    }
}
