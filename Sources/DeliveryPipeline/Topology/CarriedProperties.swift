package import AMQPClient
import PushModel

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

    /// What only workers write, whatever its name is after ``JobHeader/prefix``, counts under their user alone, which the
    /// broker validates; on anything else it is as if it were not there.
    ///
    /// - Parameter worker: nil: the broker validates nobody.
    package func believedHeaders(worker: String?) -> AMQPFieldTable {
        guard let worker, userID != worker, headers.entries.contains(where: { $0.key.hasPrefix(JobHeader.prefix) })
        else { return headers }
        return AMQPFieldTable(entries: headers.entries.filter { !$0.key.hasPrefix(JobHeader.prefix) })
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
        return carried
    }
}

extension JobHeader {
    fileprivate static let numbers = [attempt, firstAttempt, chunkSize]
    fileprivate static let flags = [redelivered, deliveredBefore, chunk]
    /// With their most bytes.
    fileprivate static let texts = [
        (publisher, 255), (part, 1_000), (claim, 64), (lane, 16), (reason, 2_000),
        (traceparent, 255),
    ]
}
