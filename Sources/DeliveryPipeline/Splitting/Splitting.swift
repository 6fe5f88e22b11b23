import AMQPClient
import DequeModule
import PushModel

/// Jobs on their way to becoming chunks. A value: no clock, no I/O.
///
/// | a job that is to be split | until |
/// |---|---|
/// | waits for a name, as it came | fewer than 32 others of its lane are on their way; or its connection is lost, and only the broker has it |
/// | is published under its name | the broker has it, and it comes back |
/// | is split | the broker has all its chunks; or its connection is lost, and whoever gets it makes the same chunks |
/// | is split no further, since the broker never takes one of them | the broker has the others; it is dead-lettered |
struct Splitting {
    private struct Split {
        let started: StartedJob
        var plan: ChunkPlan
        /// Published and not confirmed.
        var onTheWay = 0
    }

    /// Published, and not confirmed.
    private enum Step {
        case name(Lane)
        case chunk(ofEntry: Int)
    }

    /// About how many chunks are on their way to the broker at a time, of all jobs together; one of each at least. As
    /// many jobs of each lane under a new name: whatever is on its way when the broker goes may be there twice
    /// afterwards.
    private static let mostOnTheWay = 32

    var configuration: PipelineConfiguration
    /// The oldest first. A lane that takes no more holds up no other.
    private var unnamed: [Lane: Deque<StartedJob>] = [:]
    /// Under a name and not confirmed.
    private var namesOnTheWay: [Lane: Int] = [:]
    /// Being split, by their entry in the ledger.
    private var open: [Int: Split] = [:]
    private var steps: [UInt64: Step] = [:]

    init(_ configuration: PipelineConfiguration) {
        self.configuration = configuration
    }

    /// It is a chunk, or a job under its name.
    func isStep(_ id: UInt64) -> Bool { steps[id] != nil }

    /// Puts a job of many recipients back into its lane, for the whole fleet: first under a name of its own, by which
    /// its chunks are known if a worker dies meanwhile and another one makes them again. A job that is sent at most
    /// once has its id for that.
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

    /// The connection they came over is lost, and the broker delivers them again.
    mutating func stop(_ queues: [JobQueue], _ turn: inout Turn) {
        for (lane, waiting) in unnamed {
            for started in waiting where queues.contains(started.inbound.source) { turn.lose(started) }
            unnamed[lane]?.removeAll { queues.contains($0.inbound.source) }
        }
        for (entry, split) in open where queues.contains(split.started.inbound.source) { abandon(entry, split, &turn) }
    }

    /// Stops splitting the job of a chunk, because the chunk will never be published. Ignores other messages.
    mutating func abandon(chunk id: UInt64, _ turn: inout Turn) {
        guard case .chunk(let entry) = steps[id] else { return }
        if let split = open[entry] { return abandon(entry, split, &turn) }
        turn.outbox.ledger.delivery(of: entry)?.isIncomplete = true
    }

    private mutating func abandon(_ entry: Int, _ split: Split, _ turn: inout Turn) {
        split.started.isIncomplete = true
        _ = stop(entry, &turn)
    }

    /// Splits a job no further.
    ///
    /// - Returns: its state until now; nil if it was not being split.
    mutating func stop(_ entry: Int, _ turn: inout Turn) -> ChunkPlan? {
        guard let split = open.removeValue(forKey: entry) else { return nil }
        // Not its last obligation: there is that of the chunk.
        _ = turn.outbox.ledger.met(.init(entry: entry, count: 1))
        return split.plan
    }

    /// The broker has one, or never takes it, which makes room for the next.
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

    /// Publishes a job's chunks; it is done when the broker has them all.
    private mutating func makeChunks(of started: StartedJob, _ turn: inout Turn) {
        turn.counts.jobsSplit += 1
        turn.traceScatter(of: started)
        let plan = ChunkPlan(
            recipients: started.job.recipients.count, size: started.chunkSize)
        // Chunks that are not published yet take no room from other jobs: together they owe one.
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
            to: .lane)
        steps[publication.id] = .chunk(ofEntry: entry)
        turn.outbox.ledger.oweMore(entry)
        turn.outbox.publish(publication, isMove: true, meeting: [.init(entry: entry, count: 1)])
    }
}
