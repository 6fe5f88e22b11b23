import HTTP2Session
import PushModel
import PushSending

/// A message on the wire, with what the fields of its answer have said so far.
struct MessageOnWire {
    let push: QueuedPush
    let token: VAPIDToken
    let sentAt: Timestamp
    /// The uptime in milliseconds.
    let writtenAt: Int64
    var providerID: ProviderID?
    /// 0: the answer does not say when.
    var retryAfterSeconds: Int32 = 0

    init(_ push: QueuedPush, token: VAPIDToken, at now: Moment) {
        self.push = push
        self.token = token
        sentAt = now.wall
        writtenAt = now.uptime
    }

    mutating func field(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
        if name.is("location") {
            // Apple's answers have both, and its own id is what its tools know.
            if providerID == nil { providerID = ProviderID(String(decoding: value, as: UTF8.self)) }
        } else if name.is("apns-id") {
            providerID = ProviderID(ascii: value.assumingMemoryBound(to: UInt8.self)) ?? providerID
        } else if name.is("retry-after"), let seconds = RetryAfter.seconds(value, now: sentAt) {
            retryAfterSeconds = seconds
        }
    }

    /// Returns the outcome of a message for a service's answer.
    ///
    /// - Parameter retryAfterSeconds: the least delay if the service names a shorter one.
    func outcome(
        _ verdict: Outcome.Verdict, status: Int, reason: String?, retryAfterSeconds: Int32, at now: Moment
    ) -> Outcome {
        Outcome(
            job: push.job.routed, recipient: push.index, verdict: verdict, status: status, reason: reason,
            judge: .provider, providerID: providerID,
            // A service does not report when it found the subscription dead. A later registration of the same address
            // is alive.
            unregisteredAt: verdict == .unregistered ? sentAt : nil,
            retryAfterSeconds: max(self.retryAfterSeconds, retryAfterSeconds), at: now.wall)
    }
}
