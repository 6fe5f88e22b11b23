import AMQPClient
import Contract
import DequeModule
import PushModel

/// The component that splits large jobs into chunks. A value type without clock or I/O.
///
/// | state of a large job | ends when |
/// |---|---|
/// | waits for a name | fewer than 32 named jobs of its lane are unconfirmed, or the job's connection is lost |
/// | published again under a name | the broker has confirmed it; it is split when it is delivered under that name |
/// | being split | the broker has all chunks, or the connection is lost and the next worker makes the same chunks |
/// | stopped, because the broker can never accept a chunk | the broker has the other chunks; the job is dead-lettered |
struct Splitting {
    private struct Split {
        let started: StartedJob
        var plan: ChunkPlan
        /// The number of chunks that are published and not yet confirmed.
        var onTheWay = 0
    }

    /// An unconfirmed message: a job under its new name, or a chunk.
    private enum Step {
        case name(Lane)
        case chunk(ofEntry: Int)
    }

    /// The approximate limit for the unconfirmed chunks of all jobs together. Each job may always have one unconfirmed
    /// chunk. The same limit applies, for each lane, to jobs that are being published under a name. The limit is small,
    /// because unconfirmed messages may exist twice after the connection to the broker was lost.
    private static let mostOnTheWay = 32

    var configuration: PipelineConfiguration
    /// The jobs that wait for a name, by lane, the oldest first. The lanes are separate, so that a lane that refuses
    /// messages does not delay the jobs in other lanes.
    private var unnamed: [Lane: Deque<StartedJob>] = [:]
    /// The number of jobs that were published under a name and are not yet confirmed, by lane.
    private var namesOnTheWay: [Lane: Int] = [:]
    /// The jobs that are being split, by their entry in the pending settlements.
    private var open: [Int: Split] = [:]
    /// The unconfirmed messages, by id.
    private var steps: [UInt64: Step] = [:]

    init(_ configuration: PipelineConfiguration) {
        self.configuration = configuration
    }

    /// Returns whether a message is an unconfirmed chunk, or an unconfirmed job under its new name.
    func isStep(_ id: UInt64) -> Bool { steps[id] != nil }

    /// Publishes a large job under a new name, or splits it if that was done before. Chunks are named after the job.
    /// Therefore the chunks are recognized if a worker dies and another worker splits the job again. An `at_most_once`
    /// job is split at once, because its chunks are named after its id.
    mutating func split(_ started: StartedJob, _ turn: inout Turn) {
        turn.release(started)
        let inbound = started.inbound
        if started.job.atMostOnce || inbound.chunkSize != nil { return makeChunks(of: started, &turn) }
        unnamed[inbound.lane, default: []].append(started)
        publishUnderNames(in: inbound.lane, &turn)
    }

    private mutating func publishUnderNames(in lane: Lane, _ turn: inout Turn) {
        while namesOnTheWay[lane, default: 0] < Self.mostOnTheWay, let started = unnamed[lane]?.popFirst() {
            namesOnTheWay[lane, default: 0] += 1
            let publication = turn.outbox.messages.named(
                started.inbound, started.job, chunkSize: started.chunkSize,
                trace: started.trace?.headers)
            steps[publication.id] = .name(lane)
            turn.outbox.publish(publication, isMove: true, meeting: [turn.outbox.ledger.rest(of: started.entry)])
        }
    }

    /// Handles the loss of the connection that consumes these queues. Jobs that wait for a name are dropped, and the
    /// splitting of jobs stops, because the broker redelivers them.
    mutating func stop(_ queues: [JobQueue], _ turn: inout Turn) {
        for (lane, waiting) in unnamed {
            for started in waiting where queues.contains(started.inbound.source) { turn.lose(started) }
            unnamed[lane]?.removeAll { queues.contains($0.inbound.source) }
        }
        for (entry, split) in open where queues.contains(split.started.inbound.source) { abandon(entry, split, &turn) }
    }

    /// Stops splitting the job of a chunk, because the chunk will never be published. A message that is not a chunk is
    /// ignored.
    mutating func abandon(chunk id: UInt64, _ turn: inout Turn) {
        guard case .chunk(let entry) = steps[id] else { return }
        if let split = open[entry] { return abandon(entry, split, &turn) }
        turn.outbox.ledger.delivery(of: entry)?.isIncomplete = true
    }

    private mutating func abandon(_ entry: Int, _ split: Split, _ turn: inout Turn) {
        split.started.isIncomplete = true
        _ = stop(entry, &turn)
    }

    /// Stops splitting a job.
    ///
    /// - Returns: the plan in its current state, or `nil` if the job was not being split.
    mutating func stop(_ entry: Int, _ turn: inout Turn) -> ChunkPlan? {
        guard let split = open.removeValue(forKey: entry) else { return nil }
        // This settlement is not the last one of the job, because each unconfirmed chunk has a pending settlement, too.
        _ = turn.outbox.ledger.met(.init(entry: entry, count: 1))
        return split.plan
    }

    /// Publishes the next job under a name, or the next chunk, after the broker has confirmed a message or can never
    /// accept it.
    mutating func goOn(after id: UInt64, _ turn: inout Turn) {
        switch steps.removeValue(forKey: id) {
        case .name(let lane):
            namesOnTheWay[lane, default: 0] -= 1
            publishUnderNames(in: lane, &turn)
        case .chunk(let entry):
            open[entry]?.onTheWay -= 1
            publishChunks(of: entry, &turn)
        case nil: break
        }
    }

    /// Starts to publish the chunks of a job. The job is done when the broker has confirmed all of them.
    private mutating func makeChunks(of started: StartedJob, _ turn: inout Turn) {
        turn.counts.jobsSplit += 1
        turn.traceScatter(of: started)
        let plan = ChunkPlan(
            recipients: started.job.recipients.count, size: started.chunkSize)
        // All unpublished chunks count as one settlement, so that they do not use the capacity of other jobs.
        open[started.entry] = Split(started: started, plan: plan)
        publishChunks(of: started.entry, &turn)
    }

    private mutating func publishChunks(of entry: Int, _ turn: inout Turn) {
        while let split = open[entry], split.onTheWay < max(1, Self.mostOnTheWay / open.count) {
            publishChunk(of: split, &turn)
        }
    }

    private mutating func publishChunk(of split: Split, _ turn: inout Turn) {
        var split = split
        let (entry, job, inbound) = (split.started.entry, split.started.job, split.started.inbound)
        guard let chunk = split.plan.next() else {
            open[entry] = nil
            return turn.met(.init(entry: entry, count: 1))
        }
        split.onTheWay += 1
        split.started.trace?.scattered()
        open[entry] = split
        let name = job.atMostOnce ? job.id : inbound.part ?? job.id
        let publication = turn.outbox.messages.part(
            .init(
                job: job, body: JobEncoder.encode(job, recipients: Array(chunk)), lane: inbound.lane,
                attempt: inbound.attempt, firstAttempt: nil, redelivered: inbound.wasSentBefore, since: inbound.since,
                name: "\(name)#\(chunk.lowerBound)-\(chunk.upperBound)", isChunk: true,
                publisher: inbound.publisher(worker: configuration.brokerUser),
                trace: split.started.trace?.scatter?.headers ?? split.started.traceHeaders),
            to: .returned)
        steps[publication.id] = .chunk(ofEntry: entry)
        turn.outbox.ledger.oweMore(entry)
        turn.outbox.publish(publication, isMove: true, meeting: [.init(entry: entry, count: 1)])
    }
}
