/// Which jobs are cancelled. A value; a look costs less than a microsecond, and nothing where nothing is cancelled.
///
/// Of each job 16 bytes are kept, made with this process's own random key (`Hasher`), so that nobody can choose an id
/// that is taken for another's. A million jobs take 36 MB.
public struct CancelledJobs: Sendable {
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

    public init(_ jobs: some Sequence<String> = []) {
        for job in jobs { insert(job) }
    }

    public var count: Int { digests.count }

    public func contains(_ job: String) -> Bool { !digests.isEmpty && digests.contains(Self.digest(job)) }

    mutating func insert(utf8 job: UnsafeRawBufferPointer) { digests.insert(Digest(job)) }

    mutating func insert(_ job: String) { digests.insert(Self.digest(job)) }

    mutating func remove(_ job: String) { digests.remove(Self.digest(job)) }

    /// Follows the table: what the feed says happened.
    public mutating func apply(_ event: CancellationFeed.Event) {
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
