package import PushModel

/// The identity of a push across its attempts. Breakers count refused pushes by identity, so that a push that is
/// refused in several attempts counts once.
package struct PushIdentity: Sendable, Hashable {
    /// A hash of the app and the job's id.
    package let job: Int
    /// A hash of the recipient's address.
    package let address: Int

    package init(job: Int, address: Int) {
        self.job = job
        self.address = address
    }

    package init(of job: Job, recipient: Int) {
        self.job = Self.hash(of: job)
        var hasher = Hasher()
        job.withBytes { bytes in
            hasher.combine(
                bytes: UnsafeRawBufferPointer(
                    UnsafeBufferPointer(rebasing: bytes[job.recipients[recipient].addressJSON])))
        }
        address = hasher.finalize()
    }

    /// Returns the hash of a job's app and id.
    package static func hash(of job: Job) -> Int {
        var hasher = Hasher()
        hasher.combine(job.app)
        hasher.combine(job.id)
        return hasher.finalize()
    }
}
