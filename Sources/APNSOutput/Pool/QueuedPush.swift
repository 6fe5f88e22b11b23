/// One push waiting to be sent or on the wire.
package struct QueuedPush {
    package let job: PreparedJob
    package let recipient: Int
    /// How often it was queued again because the server had certainly not processed it.
    package let resends: Int

    package init(job: PreparedJob, recipient: Int, resends: Int) {
        self.job = job
        self.recipient = recipient
        self.resends = resends
    }
}
