package import PushModel

/// The identity of a push as evidence. A second refusal of the same push, in a later attempt, adds no evidence.
package struct PushIdentity: Sendable, Hashable {
    package let job: Int
    package let push: Int

    package init(job: Int, push: Int) {
        self.job = job
        self.push = push
    }

    package init(of job: Job, recipient: Int) {
        var hasher = Hasher()
        hasher.combine(job.app)
        hasher.combine(job.id)
        self.job = hasher.finalize()
        job.withBytes { bytes in
            hasher.combine(
                bytes: UnsafeRawBufferPointer(
                    UnsafeBufferPointer(rebasing: bytes[job.recipients[recipient].addressJSON])))
        }
        push = hasher.finalize()
    }
}
