package import HTTP2Session
import Logging
package import NIOCore

/// A single request through a pool of its own, for occasional requests such as a credential check.
// why: unchecked because all access is on one event loop.
package final class SingleRequest: @unchecked Sendable {
    package struct Answer: Sendable {
        package var status = 0
        /// The header fields, with names in lower case.
        package var fields: [String: String] = [:]
        package var body: [UInt8] = []
    }

    /// The maximum size of an answer's body, in bytes. A list of 10,000 channel ids is far smaller.
    private static let maximumBodyBytes = 4 * 1024 * 1024

    private let path: UnsafeMutableRawBufferPointer
    private let body: HTTP2Body
    private let noFields: HTTP2Fields
    private let promise: EventLoopPromise<Answer>
    private var answer = Answer()
    package private(set) var waiting = 1
    private var isOver = false
    /// The debug data of the server's GOAWAY, or empty before a GOAWAY.
    private var lastWords: [UInt8] = []

    /// Sends a request and returns its answer.
    ///
    /// - Parameter fields: All fields except `:path`.
    /// - Throws: ``SingleRequestError``, or the reason why the configuration cannot be used.
    package static func perform(
        fields: HTTP2Fields, path: String, body: HTTP2Body, with configuration: PoolConfiguration,
        on eventLoop: any EventLoop
    ) async throws -> Answer {
        try await eventLoop.flatSubmit {
            let promise = eventLoop.makePromise(of: Answer.self)
            do {
                try SingleRequest(path: path, body: body, promise: promise).start(fields, configuration, eventLoop)
            } catch {
                promise.fail(error)
            }
            return promise.futureResult
        }.get()
    }

    private init(path: String, body: HTTP2Body, promise: EventLoopPromise<Answer>) throws(HTTP2Error) {
        noFields = try HTTP2Fields([])
        self.path = .allocate(byteCount: path.utf8.count, alignment: 1)
        self.path.copyBytes(from: path.utf8)
        self.body = body
        self.promise = promise
    }

    deinit { path.deallocate() }

    private func start(
        _ fields: HTTP2Fields, _ configuration: PoolConfiguration, _ eventLoop: any EventLoop
    ) throws {
        var configuration = configuration
        configuration.maximumConnections = 1
        configuration.maximumAnswerBytes = Self.maximumBodyBytes
        // The caller gets the error, so nothing is logged.
        let logger = Logger(label: "martlet.request") { _ in SwiftLogNoOpLogHandler() }
        let pool = try ConnectionPool(configuration, client: self, eventLoop: eventLoop, logger: logger) {
            FixedAuthorization(fields)
        }
        let deadline = eventLoop.scheduleTask(in: .seconds(Int64(configuration.requestTimeoutSeconds))) {
            self.finish(.failure(SingleRequestError.timedOut))
        }
        promise.futureResult.whenComplete { result in
            deadline.cancel()
            let closed = eventLoop.makePromise(of: Void.self)
            pool.retire(closed: closed)
            if case .failure = result { pool.abandon() }
            closed.futureResult.whenComplete { _ in withExtendedLifetime(pool) {} }
        }
        pool.scheduleTurn()
    }

    /// Completes the request. Only the first result counts.
    private func finish(_ result: Result<Answer, SingleRequestError>) {
        promise.futureResult.eventLoop.preconditionInEventLoop()
        guard !isOver else { return }
        isOver = true
        waiting = 0
        promise.completeWith(result.mapError { $0 })
    }
}

extension SingleRequest: PoolClient {
    package func next(onlyUrgent: Bool, now: Int64) -> PoolRequest? {
        guard waiting > 0 else { return nil }
        waiting = 0
        return PoolRequest(tag: 0, path: UnsafeRawBufferPointer(path), fields: noFields, body: body)
    }

    package func answerField(_ tag: Int, name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        answer.fields[String(decoding: name, as: UTF8.self)] = String(decoding: value, as: UTF8.self)
    }

    package func answered(_ tag: Int, _ answer: PoolAnswer, now: Int64) -> ConnectionVerdict {
        self.answer.status = answer.status
        self.answer.body = answer.body
        if answer.isTooLong {
            finish(.failure(.tooLong(maximum: Self.maximumBodyBytes)))
        } else if let loss = answer.cut {
            end(SingleRequestError(loss))
        } else {
            finish(.success(self.answer))
        }
        return .keep
    }

    package func unprocessed(_ tag: Int, _ loss: RequestLoss?, now: Int64) {
        end(loss.map(SingleRequestError.init) ?? .connectionLost("the server refused the request unprocessed"))
    }

    package func lost(_ tag: Int, _ loss: RequestLoss, now: Int64) { end(SingleRequestError(loss)) }

    private func end(_ error: SingleRequestError) {
        finish(.failure(lastWords.isEmpty ? error : .goAway(debugData: lastWords)))
    }

    /// Records the debug data of the server's GOAWAY. If there is any, fails a request that has not been sent. A
    /// request on the wire may still be answered.
    package func goAway(debugData: [UInt8], now: Int64) -> String? {
        lastWords = debugData
        if waiting > 0, !debugData.isEmpty { finish(.failure(.goAway(debugData: debugData))) }
        return nil
    }

    package func connectFailed(_ error: any Error, isLast: Bool, now: Int64) {
        finish(.failure(SingleRequestError(lostBy: error)))
    }

    package func turnBegins(now: Int64) {}
    package func filled(isUsable: Bool, now: Int64) {}
    package func turnEnds() {}
    package func tick(now: Int64) {}
}
