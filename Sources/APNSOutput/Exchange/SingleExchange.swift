import HTTP2Channel
import HTTP2Session
import NIOCore

/// One request on a connection of its own.
// why: unchecked because it lives on one event loop; nothing of it is touched from elsewhere.
final class SingleExchange: @unchecked Sendable {
    struct Answer: Sendable {
        var status = 0
        var channelID: String?
        /// The `apns-id`.
        var id: String?
        var body: [UInt8] = []
    }

    /// A list of 10,000 ids is far below this.
    private static let maximumBodyBytes = 4 * 1024 * 1024

    private let session: HTTP2ClientSession
    private let promise: EventLoopPromise<Answer>
    private var handler: HTTP2ChannelHandler<HTTP2ClientSession>?
    private var channel: (any Channel)?
    private var answer = Answer()
    private var isOver = false

    /// - Throws: ``SingleExchangeError``.
    static func perform(
        fields: HTTP2Fields, path: String, body: HTTP2Body, with connector: APNSConnector, on eventLoop: any EventLoop,
        timeout: TimeAmount
    ) async throws -> Answer {
        try await eventLoop.flatSubmit {
            let promise = eventLoop.makePromise(of: Answer.self)
            do {
                let exchange = try SingleExchange(promise: promise)
                try exchange.start(fields, path, body, connector, eventLoop, timeout)
            } catch {
                promise.fail(error)
            }
            return promise.futureResult
        }.get()
    }

    private init(promise: EventLoopPromise<Answer>) throws(HTTP2Error) {
        self.promise = promise
        session = try HTTP2ClientSession(settings: HTTP2Settings(maxHeaderListSize: 16_384))
    }

    private func start(
        _ fields: HTTP2Fields, _ path: String, _ body: HTTP2Body, _ connector: APNSConnector,
        _ eventLoop: any EventLoop, _ timeout: TimeAmount
    ) throws {
        eventLoop.preconditionInEventLoop()
        // Waits in the session until there is a connection.
        try Array(path.utf8).withUnsafeBytes {
            _ = try session.submit(
                connectionFields: fields, path: $0, requestFields: HTTP2Fields([]), body: body, tag: 0)
        }
        session.delegate = self
        let handler = HTTP2ChannelHandler(session: session, observer: self)
        self.handler = handler
        let deadline = eventLoop.scheduleTask(in: timeout) { self.finish(.failure(SingleExchangeError.timedOut)) }
        promise.futureResult.whenComplete { _ in deadline.cancel() }
        connector.addresses(on: eventLoop).whenComplete { result in
            switch result {
            case .success(let addresses): self.connect(to: addresses[...], connector, eventLoop)
            case .failure(let error): self.finish(.failure(SingleExchangeError.connectionLost("\(error)")))
            }
        }
    }

    /// One address after another, until one takes the connection.
    private func connect(
        to addresses: ArraySlice<SocketAddress>, _ connector: APNSConnector, _ eventLoop: any EventLoop
    ) {
        guard let address = addresses.first, let handler else {
            return finish(.failure(SingleExchangeError.connectionLost("the name has no address")))
        }
        connector.connect(handler, to: address, on: eventLoop).whenComplete { result in
            switch result {
            case .success(let channel):
                self.channel = channel
                if self.isOver { channel.close(promise: nil) }  // why: timed out meanwhile
            case .failure where addresses.count > 1: self.connect(to: addresses.dropFirst(), connector, eventLoop)
            case .failure(let error): self.finish(.failure(SingleExchangeError(lostBy: error)))
            }
        }
    }

    /// Only the first result counts.
    private func finish(_ result: Result<Answer, any Error>) {
        promise.futureResult.eventLoop.preconditionInEventLoop()
        guard !isOver else { return }
        isOver = true
        promise.completeWith(result)
        if case .success = result { try? session.goAway() }
        if channel == nil {
            // The handler may never become part of a channel: nothing else would untie it.
            session.detachDelegate()
            handler?.observer = nil
        }
        handler?.close()
        handler = nil
        if case .failure = result { channel?.close(promise: nil) }
    }
}

extension SingleExchange: HTTP2ClientDelegate {
    func responseStarted(tag: Int, status: Int) { answer.status = status }

    func responseField(tag: Int, name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        if name.elementsEqual("apns-channel-id".utf8) {
            answer.channelID = String(decoding: value, as: UTF8.self)
        } else if name.elementsEqual("apns-id".utf8) {
            answer.id = String(decoding: value, as: UTF8.self)
        }
    }

    func responseData(tag: Int, _ bytes: UnsafeRawBufferPointer) {
        guard answer.body.count + bytes.count <= Self.maximumBodyBytes else {
            return finish(.failure(SingleExchangeError.tooLong(maximum: Self.maximumBodyBytes)))
        }
        answer.body.append(contentsOf: bytes)
    }

    func responseEnded(tag: Int) { finish(.success(answer)) }

    func streamClosed(tag: Int, streamID: Int32, code: HTTP2ErrorCode) {
        finish(.failure(SingleExchangeError.connectionLost("the request was reset (\(code))")))
    }

    func peerSettingsChanged() {}

    func goAwayReceived(lastStreamID: Int32, code: HTTP2ErrorCode, debugData: UnsafeRawBufferPointer) {
        // An answer may still come; without one the channel is closed next.
        if let reason = APNSErrorBody(Array(debugData)).reason {
            finish(.failure(SingleExchangeError.goAway(reason: reason)))
        }
    }

    func pingAcknowledged(_ payload: UInt64) {}
}

extension SingleExchange: HTTP2ChannelObserver {
    func channelClosed(error: (any Error)?) {
        finish(.failure(error.map(SingleExchangeError.init(lostBy:)) ?? .connectionLost("closed without an answer")))
    }
}
