package import AMQPClient
import Contract
import PushModel
import Traces

extension AMQPProperties {
    /// The properties that a job keeps when it is published again. `CC` and `BCC` are dropped, because they would route
    /// copies of the job. `priority` and `expiration` are dropped, because they were meant for the first delivery.
    /// `reply_to` is dropped, because it may be valid for one connection only. The broker's counters are
    /// dropped, so that they start again.
    package var carried: AMQPProperties {
        AMQPProperties(
            contentType: contentType, contentEncoding: contentEncoding, headers: headers.carried,
            deliveryMode: .persistent, correlationID: correlationID, messageID: messageID, timestamp: timestamp,
            type: type, appID: appID)
    }
}

extension InboundJob {
    /// The properties with which the job is published again. Headers about splitting and rate limits are removed unless
    /// a worker wrote them. The new message names this worker as its user, so other workers would otherwise trust
    /// headers that a publisher wrote.
    var carriedProperties: AMQPProperties {
        var properties = delivery.properties.carried
        if !isWorkers {
            for header in [JobHeader.chunk, JobHeader.chunkSize] + JobHeader.turn { properties.headers[header] = nil }
        }
        return properties
    }
}

extension AMQPFieldTable {
    /// The headers that workers read, as far as their values have a valid type and size. Together they fit into the
    /// smallest frame that current RabbitMQ versions accept.
    fileprivate var carried: AMQPFieldTable {
        var carried = AMQPFieldTable()
        for key in JobHeader.numbers { carried[key] = self[key].flatMap { $0.integer == nil ? nil : $0 } }
        for key in JobHeader.flags where self[key] == .boolean(true) { carried[key] = true }
        for (key, limit) in JobHeader.texts {
            guard let text = self[key]?.string, text.utf8.count <= limit else { continue }
            carried[key] = .string(text)
        }
        if let state = self[JobHeader.tracestate]?.string, TraceState.isGood(state) {
            carried[JobHeader.tracestate] = .string(state)
        }
        return carried
    }
}

extension JobHeader {
    fileprivate static let numbers = [attempt, firstAttempt, chunkSize, since] + turn
    fileprivate static let flags = [redelivered, deliveredBefore, chunk]
    /// The headers whose values are strings, with their maximum size in bytes.
    fileprivate static let texts = [
        (publisher, 255), (part, 1_000), (claim, 64), (lane, 16), (reason, 2_000),
        (traceparent, 255),
    ]
}
