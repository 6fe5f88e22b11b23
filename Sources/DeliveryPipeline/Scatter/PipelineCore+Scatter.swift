import AMQPClient
import PushModel

/// Jobs on their way to becoming chunks.
///
/// | a job that is to be split | until |
/// |---|---|
/// | waits for a name, as it came | fewer than 32 others of its lane are on their way; or its connection is lost, and only the broker has it |
/// | is published under its name | the broker has it, and it comes back |
/// | is split | the broker has all its chunks; or its connection is lost, and whoever gets it makes the same chunks |
/// | is split no further, since the broker never takes one of them | the broker has the others; it is dead-lettered |
struct Scatterings {
    struct Scattering {
        let started: StartedJob
        var plan: ChunkPlan
        /// Published and not confirmed.
        var onTheWay = 0
    }

    /// Published, and not confirmed.
    enum Step {
        case name(Lane)
        case chunk(ofEntry: Int)
    }

    /// The oldest first. A lane that takes no more holds up no other.
    var unnamed: [Lane: [StartedJob]] = [:]
    /// Under a name and not confirmed.
    var namesOnTheWay: [Lane: Int] = [:]
    /// Being split, by their entry in the ledger.
    var open: [Int: Scattering] = [:]
    var steps: [UInt64: Step] = [:]
}

extension PipelineCore {
    /// About how many chunks are on their way to the broker at a time, of all jobs together; one of each at least. As many
    /// jobs of each lane under a new name: whatever is on its way when the broker goes may be there twice afterwards.
    private static let mostOnTheWay = 32

    /// Puts a job of many recipients back into its lane, for the whole fleet: first under a name of its own, by which its
    /// chunks are known if a worker dies meanwhile and another one makes them again. A job that is sent at most once has
    /// its id for that.
    func split(_ started: StartedJob) {
        release(started)
        let inbound = started.inbound
        if started.job.atMostOnce || inbound.chunkSize != nil { return scatter(started) }
        scatterings.unnamed[inbound.lane, default: []].append(started)
        publishUnderNames(in: inbound.lane)
    }

    private func publishUnderNames(in lane: Lane) {
        while scatterings.namesOnTheWay[lane, default: 0] < Self.mostOnTheWay,
            scatterings.unnamed[lane]?.isEmpty == false, let started = scatterings.unnamed[lane]?.removeFirst()
        {
            scatterings.namesOnTheWay[lane, default: 0] += 1
            let publication = outbox.messages.named(
                started.inbound, started.job, chunkSize: configuration.chunkSize(of: started.job, started.inbound))
            scatterings.steps[publication.id] = .name(lane)
            outbox.publish(publication, isMove: true, meeting: [outbox.ledger.rest(of: started.entry)])
        }
    }

    /// The connection they came over is lost, and the broker delivers them again.
    func stopSplitting(of queues: [JobQueue]) {
        for (lane, waiting) in scatterings.unnamed {
            for started in waiting where queues.contains(started.inbound.queue) {
                _ = outbox.ledger.met(outbox.ledger.rest(of: started.entry))
                letGo(started)
            }
            scatterings.unnamed[lane]?.removeAll { queues.contains($0.inbound.queue) }
        }
        for (entry, scattering) in scatterings.open where queues.contains(scattering.started.inbound.queue) {
            _ = splitNoFurther(entry)
        }
    }

    /// Publishes a job's chunks, and acknowledges it when the broker has them all.
    private func scatter(_ started: StartedJob) {
        counts.jobsScattered += 1
        let plan = ChunkPlan(
            recipients: started.job.recipients.count,
            size: configuration.chunkSize(of: started.job, started.inbound))
        // What is not published yet takes no room from other jobs: it owes no more than one.
        scatterings.open[started.entry] = .init(started: started, plan: plan)
        publishChunks(of: started.entry)
    }

    /// The broker has one, or never takes it, which makes room for the next.
    func goOnSplitting(after id: UInt64) {
        switch scatterings.steps.removeValue(forKey: id) {
        case .name(let lane):
            scatterings.namesOnTheWay[lane, default: 0] -= 1
            publishUnderNames(in: lane)
        case .chunk(let entry):
            scatterings.open[entry]?.onTheWay -= 1
            publishChunks(of: entry)
        case nil: break
        }
    }

    /// - Returns: its state until now; nil if it was not being split.
    func splitNoFurther(_ entry: Int) -> ChunkPlan? {
        guard let scattering = scatterings.open.removeValue(forKey: entry) else { return nil }
        // Not its last obligation: there is that of the chunk.
        _ = outbox.ledger.met(.init(entry: entry, count: 1))
        return scattering.plan
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
        let (entry, job, inbound) = (scattering.started.entry, scattering.started.job, scattering.started.inbound)
        guard let chunk = scattering.plan.next() else {
            scatterings.open[entry] = nil
            if let done = outbox.ledger.met(.init(entry: entry, count: 1)) { acknowledge([done]) }
            return
        }
        scattering.onTheWay += 1
        let name = job.atMostOnce ? job.id : inbound.part ?? job.id
        let publication = outbox.messages.part(
            .init(
                job: job, body: JobEncoder.encode(job, recipients: Array(chunk)), lane: inbound.lane,
                attempt: inbound.attempt, firstAttempt: nil, redelivered: inbound.wasSentBefore,
                name: "\(name)#\(chunk.lowerBound)-\(chunk.upperBound)", isChunk: true,
                publisher: inbound.publisher(worker: configuration.brokerUser)),
            to: .lane)
        scatterings.open[entry] = scattering
        scatterings.steps[publication.id] = .chunk(ofEntry: entry)
        outbox.ledger.oweMore(entry)
        outbox.publish(publication, isMove: true, meeting: [.init(entry: entry, count: 1)])
    }
}
