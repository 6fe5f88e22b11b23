package import AMQPClient
import PushModel
import Traces

extension AMQPProperties {
    /// What goes along when a job is published again, and nothing else does: `CC` and `BCC` would make it many, `priority`
    /// and `expiration` were for the way to the worker, a `reply_to` may not hold for another connection, and what the
    /// broker has counted begins anew.
    package var carried: AMQPProperties {
        AMQPProperties(
            contentType: contentType, contentEncoding: contentEncoding, headers: headers.carried,
            deliveryMode: .persistent, correlationID: correlationID, messageID: messageID, timestamp: timestamp,
            type: type, appID: appID)
    }
}

extension InboundJob {
    /// Signed by us, what somebody else says of how it is split, and of its turn, would be believed.
    var carriedProperties: AMQPProperties {
        var properties = delivery.properties.carried
        if !isWorkers {
            for header in [JobHeader.chunk, JobHeader.chunkSize] + JobHeader.turn { properties.headers[header] = nil }
        }
        return properties
    }
}

extension AMQPFieldTable {
    /// Each header that workers know, once, and only as a worker may have written it. All of them fit into the smallest
    /// frame that a broker agrees to.
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
    /// With their most bytes.
    fileprivate static let texts = [
        (publisher, 255), (part, 1_000), (claim, 64), (lane, 16), (reason, 2_000),
        (traceparent, 255),
    ]
}
