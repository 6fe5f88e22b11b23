import AMQPClient
import PushModel

/// Jobs on their way to becoming chunks.
struct Scatterings {
    struct Scattering {
        let job: Job
        let inbound: InboundJob
        let entry: Int
        var plan: ChunkPlan
        /// Published and not confirmed.
        var onTheWay = 0
    }

    /// By their entry in the ledger.
    var open: [Int: Scattering] = [:]
    /// The entry of each chunk that is not confirmed.
    var entries: [UInt64: Int] = [:]
}

extension PipelineCore {
    /// About how many chunks are on their way to the broker at a time, of all jobs together; one of each at least.
    private static let mostOnTheWay = 32

    /// Puts a job of many recipients back into its lane, for the whole fleet: first under a name of its own, by which its
    /// chunks are known if a worker dies meanwhile and another one makes them again. A job that is sent at most once has
    /// its id for that.
    /// - Parameter entry: the job's in the ledger, if it has one.
    func split(_ job: Job, _ inbound: InboundJob, entry: Int?) {
        if job.atMostOnce || inbound.chunkSize != nil { return scatter(job, inbound, entry: entry) }
        let entry = entry ?? ledger.open(inbound, obligations: 1)
        publish(
            messages.named(inbound, job, chunkSize: configuration.chunkSize(of: job, inbound)),
            meeting: [.init(entry: entry, count: ledger.owing(of: entry))])
    }

    /// Publishes a job's chunks, and acknowledges it when the broker has them all.
    private func scatter(_ job: Job, _ inbound: InboundJob, entry: Int?) {
        counts.jobsScattered += 1
        let plan = ChunkPlan(recipients: job.recipients.count, size: configuration.chunkSize(of: job, inbound))
        // What is not published yet takes no room from other jobs: it owes no more than one.
        let entry = entry ?? ledger.open(inbound, obligations: 1)
        scatterings.open[entry] = .init(job: job, inbound: inbound, entry: entry, plan: plan)
        publishChunks(of: entry)
    }

    /// The confirm of one chunk makes room for the next.
    func chunkConfirmed(_ id: UInt64) {
        guard let entry = scatterings.entries.removeValue(forKey: id) else { return }
        scatterings.open[entry]?.onTheWay -= 1
        publishChunks(of: entry)
    }

    private func publishChunks(of entry: Int) {
        while let scattering = scatterings.open[entry],
            scattering.onTheWay < max(1, Self.mostOnTheWay / scatterings.open.count)
        {
            publishChunk(of: scattering)
        }
    }

    private func publishChunk(of scattering: Scatterings.Scattering) {
        var scattering = scattering
        let entry = scattering.entry
        guard let chunk = scattering.plan.next() else {
            scatterings.open[entry] = nil
            if let settled = ledger.met(.init(entry: entry, count: 1)) { settle([settled]) }
            return
        }
        scattering.onTheWay += 1
        let (job, inbound) = (scattering.job, scattering.inbound)
        let name = job.atMostOnce ? job.id : inbound.part ?? job.id
        let publication = messages.part(
            .init(
                job: job, body: JobEncoder.encode(job, recipients: Array(chunk)), lane: inbound.lane,
                attempt: inbound.attempt, firstAttempt: nil, redelivered: inbound.wasSentBefore,
                name: "\(name)#\(chunk.lowerBound)-\(chunk.upperBound)", isChunk: true,
                publisher: inbound.publisher(worker: configuration.brokerUser)),
            to: .lane)
        scatterings.open[entry] = scattering
        scatterings.entries[publication.id] = entry
        ledger.oweMore(entry)
        publish(publication, meeting: [.init(entry: entry, count: 1)])
    }
}
