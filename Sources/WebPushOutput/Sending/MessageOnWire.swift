import HTTP2Session
import PushModel
import PushSending

/// A message on the wire, with the values from those fields of its answer that have arrived so far.
struct MessageOnWire {
    let push: QueuedPush
    let token: VAPIDToken
    let sentAt: Timestamp
    /// The uptime at which the request was written, in milliseconds.
    let writtenAt: Int64
    var providerID: ProviderID?
    /// The delay that the answer asks for, in seconds, or 0 if it asks for none.
    var retryAfterSeconds: Int32 = 0

    init(_ push: QueuedPush, token: VAPIDToken, at now: Moment) {
        self.push = push
        self.token = token
        sentAt = now.wall
        writtenAt = now.uptime
    }

    mutating func field(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
        if name.is("location") {
            // Apple's answers have both fields. Apple's tools use the value of `apns-id`.
            if providerID == nil { providerID = ProviderID(String(decoding: value, as: UTF8.self)) }
        } else if name.is("apns-id") {
            providerID = ProviderID(ascii: value.assumingMemoryBound(to: UInt8.self)) ?? providerID
        } else if name.is("retry-after"), let seconds = RetryAfter.seconds(value, now: sentAt) {
            retryAfterSeconds = seconds
        }
    }

    /// Returns the outcome of the message for the service's answer.
    ///
    /// - Parameter retryAfterSeconds: the minimum delay before another attempt, in seconds. It applies if the answer
    ///   asks for a shorter delay or none.
    func outcome(
        _ verdict: Outcome.Verdict, status: Int, reason: String?, retryAfterSeconds: Int32, at now: Moment
    ) -> Outcome {
        Outcome(
            job: push.job.routed, recipient: push.index, verdict: verdict, status: status, reason: reason,
            judge: .provider, providerID: providerID,
            // A service does not report when it found the subscription dead. The time of sending is used, so a later
            // registration of the same address counts as alive.
            unregisteredAt: verdict == .unregistered ? sentAt : nil,
            retryAfterSeconds: max(self.retryAfterSeconds, retryAfterSeconds), at: now.wall)
    }
}
