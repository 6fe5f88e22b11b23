/// The set of cancelled jobs. A lookup takes less than a microsecond, and almost no time if no job is cancelled.
///
/// Each job is stored as a hash of 16 bytes. The hash function has a random key for each process (`Hasher`), so that a
/// publisher can't choose an id that collides with the id of another job. A million jobs take 36 MB.
package struct CancelledJobs: Sendable {
    private struct Digest: Hashable {
        let first: Int
        let second: Int

        init(_ job: UnsafeRawBufferPointer) {
            var hasher = Hasher()
            hasher.combine(bytes: job)
            var longer = hasher
            longer.combine(0 as UInt8)
            first = hasher.finalize()
            second = longer.finalize()
        }

        func hash(into hasher: inout Hasher) { hasher.combine(first) }
    }

    private var digests: Set<Digest> = []

    package init(_ jobs: some Sequence<String> = []) {
        for job in jobs { insert(job) }
    }

    package var count: Int { digests.count }

    package func contains(_ job: String) -> Bool { !digests.isEmpty && digests.contains(Self.digest(job)) }

    mutating func insert(utf8 job: UnsafeRawBufferPointer) { digests.insert(Digest(job)) }

    mutating func insert(_ job: String) { digests.insert(Self.digest(job)) }

    mutating func remove(_ job: String) { digests.remove(Self.digest(job)) }

    /// Applies an event of the feed.
    package mutating func apply(_ event: CancellationFeed.Event) {
        switch event {
        case .loaded(let all): self = all
        case .changed(let changes):
            for change in changes {
                if change.isCancelled { insert(change.job) } else { remove(change.job) }
            }
        }
    }

    private static func digest(_ job: String) -> Digest {
        var job = job
        return job.withUTF8 { Digest(UnsafeRawBufferPointer($0)) }
    }
}
