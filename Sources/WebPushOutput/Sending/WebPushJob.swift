package import PushModel

/// A job that is ready to be sent. It holds the data that its messages to all recipients share.
package final class WebPushJob: Sendable {
    package let routed: RoutedJob
    package let sink: any OutcomeSink
    package let identity: VAPIDIdentity
    package let request: WebPushRequest
    private let message: Result<Message, WebPushFault>

    package init(
        _ routed: RoutedJob, sink: any OutcomeSink, identity: VAPIDIdentity, defaultTTL: Int64
    ) throws(WebPushFault) {
        self.routed = routed
        self.sink = sink
        self.identity = identity
        let request = try WebPushRequest(for: routed.job, defaultTTL: defaultTTL)
        self.request = request
        message = Message.read(routed.job.payload, of: routed.job, request)
    }

    /// Returns the message for one recipient: the job's message or the recipient's own.
    package func message(for recipient: Recipient) throws(WebPushFault) -> Message {
        guard let own = recipient.payload else { return try message.get() }
        return try Message.read(own, of: routed.job, request).get()
    }
}

/// A payload that is ready to be encrypted.
package struct Message: Sendable {
    /// The plain text that ``MessageEncryption/record(of:)`` returned, or `nil` if the request has no body.
    package let record: [UInt8]?

    /// Reads a message from a payload.
    ///
    /// - Parameter range: the range of a JSON object, which is sent unchanged, or of a JSON string, whose text is sent.
    fileprivate static func read(
        _ range: Range<Int>, of job: Job, _ request: WebPushRequest
    ) -> Result<Message, WebPushFault> {
        job.withBytes { bytes in
            let json = UnsafeBufferPointer(rebasing: bytes[range])
            if request.isDeclarative, !DeclarativePayload.isOne(json) { return .failure(.badDeclarativePayload) }
            guard json.first == UInt8(ascii: "\"") else { return message(json) }
            let text = json.dropFirst().dropLast()
            return text.contains(UInt8(ascii: "\\")) ? message(JSONText.unescaped(text)) : message(text)
        }
    }

    private static func message(_ bytes: some Collection<UInt8>) -> Result<Message, WebPushFault> {
        guard bytes.count <= MessageEncryption.maximumMessageBytes else { return .failure(.payloadTooLarge) }
        return .success(Message(record: bytes.isEmpty ? nil : MessageEncryption.record(of: bytes)))
    }
}
