import HTTP2Session
import Testing

/// A client session and a server session, connected in memory.
struct MemoryConnection {
    let client: HTTP2ClientSession
    let server: HTTP2ServerSession
    let clientEvents = ClientRecorder()
    let serverEvents = ServerRecorder()

    init(
        clientSettings: HTTP2Settings = HTTP2Settings(), serverSettings: HTTP2Settings = HTTP2Settings(),
        grantsWindowByHand: Bool = false
    ) throws {
        client = try HTTP2ClientSession(settings: clientSettings, delegate: clientEvents)
        server = try HTTP2ServerSession(
            settings: serverSettings, grantsWindowByHand: grantsWindowByHand, delegate: serverEvents)
        serverEvents.session = server
        clientEvents.session = client
    }

    /// Moves bytes in both directions until neither side has output.
    func exchange() throws {
        while client.wantsWrite || server.wantsWrite {
            try move(client, to: server)
            try move(server, to: client)
        }
    }

    func move(_ sender: some HTTP2Endpoint, to receiver: some HTTP2Endpoint) throws {
        let bytes = try sender.output()
        try bytes.withUnsafeBytes { try receiver.receive($0) }
    }
}

extension HTTP2Endpoint {
    func output() throws -> [UInt8] {
        var bytes: [UInt8] = []
        try collectOutput(limit: .max) { bytes.append(contentsOf: $0) }
        return bytes
    }

    /// Returns the remaining output of the session, and the error with which the session ends, if any.
    func lastOutput() -> (bytes: [UInt8], error: HTTP2Error?) {
        var bytes: [UInt8] = []
        do throws(HTTP2Error) {
            try collectOutput(limit: .max) { bytes.append(contentsOf: $0) }
            return (bytes, nil)
        } catch {
            return (bytes, error)
        }
    }
}

extension HTTP2ClientSession {
    @discardableResult
    func post(_ path: String, body: [UInt8] = Array("{}".utf8), tag: Int = 0) throws -> Int32 {
        try submit(
            connectionFields: connectionFields(), path: path, requestFields: HTTP2Fields([]), body: HTTP2Body(body),
            tag: tag)
    }

    func submit(
        connectionFields: HTTP2Fields, path: String, requestFields: HTTP2Fields, body: HTTP2Body, tag: Int
    ) throws -> Int32 {
        try Array(path.utf8).withUnsafeBytes {
            try submit(
                connectionFields: connectionFields, path: $0, requestFields: requestFields, body: body, tag: tag)
        }
    }
}

func connectionFields() throws -> HTTP2Fields {
    try HTTP2Fields([
        HTTP2Field(":method", "POST"), HTTP2Field(":scheme", "https"), HTTP2Field(":authority", "push.example"),
    ])
}
