package import HTTP2Session
package import PushModel
package import PushSending

/// A job that is ready to be sent. It holds the part that all of its messages share. Each message puts its target
/// before this part.
///
/// A body consists of `{"message":{"token":"…",`, the job's payload without its first brace, and a closing brace.
/// ``MessageMerge`` adds values from the job's fields to the payload and leaves the rest of it unchanged.
// why: unchecked like its base class. Only the pool's event loop uses its mutable properties.
package final class PreparedMessage: QueuedJob, @unchecked Sendable {
    /// The faults for which FCM refused the payload: one for devices, and one for topics, which accept only smaller
    /// payloads. Each is `nil` if FCM has not refused the payload for that kind.
    private var refused: (device: FCMFault?, broadcast: FCMFault?)
    /// Whether FCM has accepted the payload for a device, and whether it has accepted it for a topic.
    private var accepted = (device: false, broadcast: false)
    private let check: MessageCheck
    private let defaults: JobDefaults
    private let start: [UInt8]
    private var tail: Tail

    /// The part of a body that follows the target.
    private struct Tail {
        let bytes: ArraySlice<UInt8>
        /// Whether this part has no members, so that no comma precedes it.
        let isEmpty: Bool
        /// The time to live in this part, in seconds, or `nil` if the job sets none.
        let ttl: Int64?
    }

    package init(_ routed: RoutedJob, sink: any OutcomeSink, now: Timestamp) throws(FCMFault) {
        let job = routed.job
        check = try Self.check(job.payload, of: job)
        defaults = JobDefaults(of: job)
        start = Array((job.validateOnly ? #"{"validate_only":true,"message":{"# : #"{"message":{"#).utf8)
        tail = Self.tail(of: job.payload, of: job, defaults, ttl: defaults.ttl(at: now))
        super.init(routed, sink: sink)
    }

    /// Returns the body for one recipient, or throws the fault for which FCM would refuse it.
    package func body(for recipient: Recipient, now: Timestamp) throws(FCMFault) -> HTTP2Body {
        let job = routed.job
        let ttl = defaults.ttl(at: now)
        let tail: Tail
        if let own = recipient.payload {
            if let fault = try Self.check(own, of: job).fault(to: recipient.kind) { throw fault }
            tail = Self.tail(of: own, of: job, defaults, ttl: ttl)
        } else {
            let fault = recipient.kind.isBroadcast ? refused.broadcast : refused.device
            if let fault = fault ?? check.fault(to: recipient.kind) { throw fault }
            if self.tail.ttl != ttl { self.tail = Self.tail(of: job.payload, of: job, defaults, ttl: ttl) }
            tail = self.tail
        }
        if recipient.kind == .topic, !Self.isTopic(job.bytes(recipient.token)) {
            throw .invalid("message.topic has characters other than letters, digits and -_.~%, or begins with /topics/")
        }
        return HTTP2Body(tail.bytes, after: head(of: recipient, isLast: tail.isEmpty))
    }

    /// Records that FCM refused the job's payload for a recipient. Later recipients of the same kind (devices or
    /// topics) are rejected without a request. Does nothing if the recipient has a payload of its own.
    func refuse(_ fault: FCMFault, to recipient: Recipient) {
        guard recipient.payload == nil else { return }
        if recipient.kind.isBroadcast { refused.broadcast = fault } else { refused.device = fault }
    }

    /// Records that FCM accepted the job's payload for a recipient, which also clears a fault recorded for its kind
    /// (devices or topics). Does nothing if the recipient has a payload of its own.
    func accept(for recipient: Recipient) {
        guard recipient.payload == nil else { return }
        if recipient.kind.isBroadcast {
            (accepted.broadcast, refused.broadcast) = (true, nil)
        } else {
            (accepted.device, refused.device) = (true, nil)
        }
    }

    /// Returns whether FCM has accepted the job's payload for a recipient of the same kind (device or topic). Returns
    /// `false` if this recipient has a payload of its own.
    func hasAcceptedPayload(of recipient: Recipient) -> Bool {
        recipient.payload == nil && (recipient.kind.isBroadcast ? accepted.broadcast : accepted.device)
    }

    private func head(of recipient: Recipient, isLast: Bool) -> [UInt8] {
        var head: [UInt8] = []
        head.reserveCapacity(start.count + recipient.addressJSON.count + 16)
        head.append(contentsOf: start)
        head.append(UInt8(ascii: "\""))
        head.append(contentsOf: Self.member(of: recipient.kind).utf8)
        head.append(contentsOf: #"":"#.utf8)
        head.append(contentsOf: routed.job.bytes(recipient.addressJSON))
        if !isLast { head.append(UInt8(ascii: ",")) }
        return head
    }

    private static func member(of kind: AddressKind) -> String {
        switch kind {
        case .installation: "fid"
        case .topic: "topic"
        case .condition: "condition"
        // Only tokens occur here, because the router rejects subscriptions and channels.
        case .token, .subscription, .channel: "token"
        }
    }

    private static func check(_ payload: Range<Int>, of job: Job) throws(FCMFault) -> MessageCheck {
        try job.withBytes { bytes throws(FCMFault) in try MessageCheck(UnsafeBufferPointer(rebasing: bytes[payload])) }
    }

    private static func tail(of payload: Range<Int>, of job: Job, _ defaults: JobDefaults, ttl: Int64?) -> Tail {
        job.withBytes { bytes in
            let message = UnsafeBufferPointer(rebasing: bytes[payload])
            guard defaults.isEmpty else {
                let merged = MessageMerge.merge(message, defaults, ttl: ttl)
                return Tail(bytes: ArraySlice(merged + Array("}}".utf8)), isEmpty: false, ttl: ttl)
            }
            let inside = message.dropFirst().dropLast()
            let isEmpty = inside.allSatisfy { [0x20, 0x0A, 0x0D, 0x09].contains($0) }
            return Tail(bytes: ArraySlice(Array(inside) + Array("}}".utf8)), isEmpty: isEmpty, ttl: nil)
        }
    }

    /// Returns whether the name is a valid topic, by the same rule as in the Admin SDKs.
    private static func isTopic(_ name: ArraySlice<UInt8>) -> Bool {
        let others = Set("-_.~%".utf8)
        return name.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: others.contains(byte)
            }
        }
    }
}
