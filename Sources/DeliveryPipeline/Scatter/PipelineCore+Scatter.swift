import AMQPClient
import PushModel

/// Jobs on their way to becoming chunks.
struct Scatterings {
    struct Scattering {
        let job: Job
        let inbound: InboundJob
        let entry: Int
        var plan: ChunkPlan
    }

    /// By their entry in the ledger.
    var open: [Int: Scattering] = [:]
    /// The entry of each chunk that is not confirmed.
    var entries: [UInt64: Int] = [:]
}

extension PipelineCore {
    /// Chunks of one job on their way to the broker at a time.
    private static let window = 32

    /// Puts a job of many recipients back into its lane as chunks, for the whole fleet, and acknowledges it when the
    /// broker has them all.
    func scatter(_ job: Job, _ inbound: InboundJob) {
        counts.jobsScattered += 1
        let plan = ChunkPlan(recipients: job.recipients.count, size: configuration.chunkSize)
        let entry = ledger.open(inbound, obligations: plan.count)
        scatterings.open[entry] = .init(job: job, inbound: inbound, entry: entry, plan: plan)
        for _ in 0..<Self.window { publishChunk(of: entry) }
    }

    /// The confirm of one chunk makes room for the next.
    func chunkConfirmed(_ id: UInt64) {
        if let entry = scatterings.entries.removeValue(forKey: id) { publishChunk(of: entry) }
    }

    private func publishChunk(of entry: Int) {
        guard var scattering = scatterings.open[entry] else { return }
        guard let chunk = scattering.plan.next() else {
            scatterings.open[entry] = nil
            return
        }
        let (job, inbound) = (scattering.job, scattering.inbound)
        let name = inbound.part ?? job.id
        let publication = messages.part(
            .init(
                job: job, body: JobEncoder.encode(job, recipients: Array(chunk)), lane: inbound.lane,
                attempt: inbound.attempt, firstAttempt: nil, redelivered: inbound.wasSentBefore,
                // Chunks that workers of another jobs.chunk_size have made are others.
                name: "\(name)#\(chunk.lowerBound)-\(chunk.upperBound)", isChunk: true,
                publisher: inbound.publisher(worker: configuration.brokerUser)),
            to: .lane)
        scatterings.open[entry] = scattering
        scatterings.entries[publication.id] = entry
        publish(publication, meeting: [.init(entry: entry, count: 1)])
    }
}
