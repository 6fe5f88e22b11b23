import AMQPClient
import Contract
import DeliveryPipeline
import Dispatch
import PushModel
import TestSupport
import Testing

/// Tests of the pipeline and the consumer's bookkeeping with a simulated broker, output and database. In random order,
/// messages are confirmed singly or in groups, refused, returned or redelivered, and connections are lost.
@Suite struct SettlingOrderTests {
    @Test(arguments: 1...60 as ClosedRange<UInt64>)
    func acknowledgesEachJobOnceAndNeverEarlyInAnyOrder(seed: UInt64) throws {
        var world = SettlingWorld(seed: seed)
        for _ in 0..<300 where world.faults.isEmpty { try world.step() }
        try world.finish()
        #expect(world.faults == [], "seed \(seed)")
        #expect(world.deliveries > 50 && world.losses > 0, "seed \(seed): \(world.deliveries), \(world.losses)")
        #expect(world.resumed == 0 || world.resumedByPipeline > 0, "seed \(seed)")
    }
}

/// A simple model of the pending settlements of each delivery, derived from published and confirmed messages.
private struct SettlingWorld {
    /// The maximum numbers of lost connections and of forward jumps of the clock. With more of either, the pipeline
    /// would suspect a job, or publish it again before it reaches its delivery limit.
    private static let (mostLosses, mostLeaps) = (14, 3)

    /// The number of a message, which all its deliveries share. It is sent as the number of the attempt and as the time
    /// of the first attempt, in milliseconds.
    private typealias Serial = Int64

    private var random: SplitMix64
    private let harness: PipelineHarness
    /// The consumer's bookkeeping.
    private var open = OpenDeliveries(indices: JobQueue.all.map { UInt16($0.index) })
    /// The acknowledgements that have not reached the consumer yet.
    private var unheard: [AMQPAcknowledgement] = []
    /// The rejections that have not reached the consumer yet.
    private var unheardRejections: [AMQPDeliveryTag] = []
    private var isConnected = false

    /// The messages that wait in the broker.
    private var waiting: [(message: Int, wasDelivered: Bool)] = []
    /// The open deliveries of the present connection.
    private var handedOut: [AMQPDeliveryTag: Serial] = [:]
    /// The number of deliveries of each message.
    private var deliveriesOf: [Serial: Int64] = [:]
    private var lastNumber: UInt64 = 0
    private var lastMessage = 0

    private var serialOf: [AMQPDeliveryTag: Serial] = [:]
    /// The messages that the output has received since the pipeline last processed them from the beginning.
    private var started: Set<Serial> = []
    /// The end times of jobs that ended after their connection was lost. Their next delivery must be acknowledged.
    private var ended: [Serial: Timestamp] = [:]
    private(set) var resumed = 0
    private var owed: [Serial: Set<String>] = [:]
    private var settled: Set<Serial> = []
    private var forgotten: Set<Serial> = []
    /// The messages that the pipeline must reject, so that the broker dead-letters them.
    private var untakeable: Set<Serial> = []
    /// The pending settlements that each publication completes.
    private var meant: [UInt64: [(serial: Serial, what: String)]] = [:]
    /// The publications without a confirm.
    private var unconfirmed: [UInt64] = []
    /// The publications that move jobs to the waiting queue after a long wait. If the broker refuses one, its job
    /// continues to wait.
    private var moves: Set<UInt64> = []
    private var unreported: [(job: RoutedJob, recipient: Int)] = []
    private var seen = (published: 0, acknowledgements: 0, rejected: 0, jobs: 0, marks: 0)

    private(set) var deliveries = 0
    private(set) var losses = 0
    private var leaps = 0
    private(set) var faults: [String] = []

    var resumedByPipeline: Int { harness.core.currentCounts().jobsResumed }

    init(seed: UInt64) {
        random = SplitMix64(seed: seed)
        harness = PipelineHarness(maximumInFlight: 9, retry: RetryPolicy(maximumAttempts: .max), brokerUser: "worker") {
            $0.limits.longestWait = 400
        }
    }

    mutating func step() throws {
        switch Int.random(in: 0..<21, using: &random) {
        case 0..<5: deliver()
        case 5..<9: try report()
        case 9: harness.flush()
        case 10:
            if Int.random(in: 0..<4, using: &random) == 0, leaps < Self.mostLeaps {
                leaps += 1
                harness.pass(seconds: 500)
            }
            harness.passRefusalWaits()
        case 11..<14: confirm(some(of: unconfirmed))
        case 14: if let id = unconfirmed.randomElement(using: &random) { confirm([id, id, 999_999]) }
        case 15:
            let ids = some(of: unconfirmed)
            harness.publisher(.refused(ids))
            for id in ids { takeBack(id) }
        case 16:
            guard let id = unconfirmed.randomElement(using: &random) else { break }
            returned(id, code: [312, 312, 312, 0, 406].randomElement(using: &random) ?? 0)
        case 17: mark()
        case 18: listen()
        case 19: harness.passMarkPatience()
        default: if isConnected, losses < Self.mostLosses, Bool.random(using: &random) { lose() } else { connect() }
        }
        try look()
    }

    /// Lets all further operations succeed, and checks that no delivery and no settlement is left open.
    mutating func finish() throws {
        connect()
        for _ in 0..<400 where !owed.isEmpty || !waiting.isEmpty {
            guard faults.isEmpty else { return }
            deliver()
            while !unreported.isEmpty { try report() }
            harness.flush()
            harness.passRefusalWaits()
            mark()
            try look()
            confirm(unconfirmed)
            try look()
            listen()
        }
        listen()
        if !owed.isEmpty { faults.append("still open: \(owed)") }
        if !handedOut.isEmpty || !waiting.isEmpty { faults.append("the broker still has \(handedOut), \(waiting)") }
        let counts = harness.core.currentCounts()
        if counts.jobsOpen + counts.obligationsOpen + counts.jobsWaiting > 0 { faults.append("open: \(counts)") }
        let released = harness.released
        if Set(released).count != released.count { faults.append("a delivery was released twice") }
        if released.count != deliveries { faults.append("\(released.count) of \(deliveries) deliveries were released") }
    }

    // MARK: Deliveries of the broker

    private mutating func deliver() {
        guard isConnected else { return }
        var batch: [AMQPDelivery] = []
        for _ in 0..<Int.random(in: 1...5, using: &random) {
            let message: (message: Int, wasDelivered: Bool)
            if !waiting.isEmpty {
                message = waiting.removeFirst()
            } else if lastMessage < 200 {
                lastMessage += 1
                message = (lastMessage, false)
            } else {
                break
            }
            batch.append(delivery(of: message.message, isRedelivered: message.wasDelivered))
        }
        harness.deliver(batch)
    }

    private mutating func delivery(of message: Int, isRedelivered: Bool) -> AMQPDelivery {
        deliveries += 1
        lastNumber += 1
        let serial = Serial(message)
        let tag = open.tag(queue: JobQueue.lane(.normal).index, number: lastNumber)
        (serialOf[tag], handedOut[tag]) = (serial, serial)
        var headers: AMQPFieldTable = [
            JobHeader.attempt: .int64(serial), JobHeader.firstAttempt: .int64(serial),
            JobHeader.traceparent: .string("serial-\(serial)"), "mine": 1,
        ]
        if isRedelivered { headers["x-delivery-count"] = .int64(deliveriesOf[serial] ?? 0) }
        deliveriesOf[serial, default: 0] += 1
        let recipients = (0...message % 4).map { "\"a\($0)\"" }
        var body = #"{"id":"m-\#(message)","app":"com.example.shop","payload":{"aps":{"alert":"x"}},"#
        if message % 5 == 0 { body += #""results":"problems","# }
        if message % 7 == 0 { body += #""oops":1,"# }
        if owed[serial] != nil || isRemembered(serial) {
            resumed += 1
        } else {
            started.remove(serial)
            settled.remove(serial)
            forgotten.remove(serial)
            untakeable.remove(serial)
            owed[serial] = message % 7 == 0 ? ["dead", "event"] : Set((0...message % 4).map { "a\($0)" })
        }
        ended[serial] = nil
        body += #""recipients":[\#(recipients.joined(separator: ","))]}"#
        return AMQPDelivery(
            tag: tag, isRedelivered: isRedelivered, exchange: "martlet.jobs", routingKey: "normal",
            properties: AMQPProperties(headers: headers), body: Array(body.utf8))
    }

    private mutating func connect() {
        guard !isConnected else { return }
        isConnected = true
        lastNumber = 0
        open.connected()
        harness.consumer(.connected(queues: []))
    }

    private mutating func lose() {
        losses += 1
        isConnected = false
        open.disconnected()
        // The pipeline drops jobs that it has neither started nor moved.
        var started = started
        for move in moves { started.formUnion((meant[move] ?? []).map(\.serial)) }
        for (tag, serial) in handedOut {
            if let open = owed[serial], !started.contains(serial), !open.isSubset(of: ["dead", "event", "told"]) {
                owed[serial] = nil
                forgotten.insert(serial)
            }
            waiting.append((Int(serial), true))
            handedOut[tag] = nil
        }
        waiting.sort { $0.message < $1.message }
        harness.consumer(.disconnected(AMQPError(.connectionLost, "gone")))
    }

    /// Passes the gathered acknowledgements and rejections to the consumer. Their connection may be lost.
    private mutating func listen() {
        for acknowledgement in unheard where !open.acknowledge(acknowledgement) { faults.append("repeated ack") }
        for tag in unheardRejections where !open.reject(tag, requeue: false) { faults.append("repeated reject") }
        (unheard, unheardRejections) = ([], [])
        open.gatherAcknowledgements()
        for outgoing in open.outgoing {
            guard case .acknowledgement(let said) = outgoing.settlement else {
                if case .rejection(let number, requeue: false) = outgoing.settlement {
                    handedOut[open.tag(queue: outgoing.queue, number: number)] = nil
                }
                continue
            }
            let named = open.tag(queue: outgoing.queue, number: said.number)
            guard handedOut[named] != nil else {
                faults.append("delivery \(said.number) is not open, so the broker closes the channel")
                continue
            }
            for (tag, serial) in handedOut
            where tag == named || (said.multiple && tag.queueIndex == named.queueIndex && tag.number < named.number) {
                if !settled.contains(serial) { faults.append("\(serial) acknowledged early by \(said)") }
                handedOut[tag] = nil
            }
        }
        open.written(open.outgoing.count)
    }

    private func isRemembered(_ serial: Serial) -> Bool {
        let now = harness.recorder.withRecord { $0.now }
        return ended[serial].map { now.milliseconds - $0.milliseconds <= Orphans.longestMemory } ?? false
    }

    // MARK: Output, database and confirms

    private mutating func report() throws {
        unreported.shuffle(using: &random)
        let count = Int.random(in: 0...min(unreported.count, 6), using: &random)
        let verdicts: [Outcome.Verdict] = [
            .sent, .sent, .rejected, .unregistered, .failed, .retry, .hold, .unknown, .returned, .expired,
        ]
        var outcomes: [Outcome] = []
        for (job, recipient) in unreported.suffix(count) {
            let verdict = verdicts.randomElement(using: &random) ?? .sent
            outcomes.append(job.outcome(recipient, verdict))
            if verdict == .sent, job.job.results == .problems { meet(Serial(job.attempt), "a\(recipient)") }
        }
        unreported.removeLast(count)
        harness.core.report(outcomes)
        harness.core.queue.sync {}
    }

    private mutating func mark() {
        guard harness.marks.count > seen.marks, let batch = harness.marks.last else { return }
        seen.marks = harness.marks.count
        harness.written(batch)
    }

    private mutating func confirm(_ ids: [UInt64]) {
        for id in ids where unconfirmed.contains(id) {
            unconfirmed.removeAll { $0 == id }
            for (serial, what) in meant[id] ?? [] { meet(serial, what) }
        }
        moves.subtract(ids)
        harness.publisher(.confirmed(ids))
    }

    private mutating func returned(_ id: UInt64, code: UInt16) {
        if code == 312, moves.contains(id) {
            harness.publisher(.refused([id]))
            return takeBack(id)
        }
        let before = harness.published.count
        harness.publisher(.returned(AMQPReturn(id: id, code: code, text: "no")))
        // A message that was returned as unroutable (312) stays unconfirmed, because the pipeline publishes it again
        // later.
        if code == 312 || harness.published.dropFirst(before).contains(where: { $0.id == id }) { return }
        unconfirmed.removeAll { $0 == id }
        for (serial, _) in meant[id] ?? [] where untakeable.insert(serial).inserted { owed[serial]?.insert("told") }
        for (serial, what) in meant[id] ?? [] { meet(serial, what) }
    }

    /// Returns a refused move to the pipeline. If the connection of its delivery is lost, the pipeline drops the job.
    private mutating func takeBack(_ id: UInt64) {
        guard moves.remove(id) != nil else { return }
        unconfirmed.removeAll { $0 == id }
        for (serial, _) in meant[id] ?? [] where !handedOut.values.contains(serial) {
            owed[serial] = nil
            forgotten.insert(serial)
        }
    }

    private mutating func meet(_ serial: Serial, _ what: String) {
        if owed[serial]?.remove(what) == nil { faults.append("\(what) of \(serial) was settled twice") }
    }

    private mutating func some(of ids: [UInt64]) -> [UInt64] {
        var chosen: [UInt64] = []
        for id in ids where Bool.random(using: &random) { chosen.append(id) }
        return chosen.shuffled(using: &random)
    }

    // MARK: Effects of the pipeline

    private mutating func look() throws {
        for publication in harness.published.dropFirst(seen.published) {
            seen.published += 1
            // The message is published again because it was refused before.
            guard meant[publication.id] == nil else { continue }
            let obligations = try obligations(of: publication)
            for (serial, what) in obligations where what == "given up" { owed[serial]?.insert(what) }
            meant[publication.id] = obligations
            if publication.routingKey.contains(".waiting.") { moves.insert(publication.id) }
            unconfirmed.append(publication.id)
        }
        for job in harness.output.jobs.dropFirst(seen.jobs) {
            seen.jobs += 1
            unreported += job.job.recipients.indices.map { (job, $0) }
            started.insert(Serial(job.attempt))
        }
        let said = harness.acknowledgements
        for acknowledgement in said.dropFirst(seen.acknowledgements) {
            unheard.append(acknowledgement)
            settle(acknowledgement.tag, asDead: false)
        }
        seen.acknowledgements = said.count
        let rejected = harness.rejected
        for tag in rejected.dropFirst(seen.rejected) {
            unheardRejections.append(tag)
            settle(tag, asDead: true)
        }
        seen.rejected = rejected.count
        for (serial, open) in owed where open.isEmpty {
            owed[serial] = nil
            if settled.contains(serial) { continue }
            if handedOut.values.contains(serial) { faults.append("\(serial) is settled but not acknowledged") }
            if !untakeable.contains(serial) { ended[serial] = harness.recorder.withRecord { $0.now } }
        }
    }

    private mutating func settle(_ tag: AMQPDeliveryTag, asDead: Bool) {
        guard let serial = serialOf[tag] else {
            return faults.append("an unknown delivery was acknowledged or rejected")
        }
        if let open = owed[serial], !open.isEmpty { faults.append("\(serial) acknowledged with pending \(open)") }
        if !settled.insert(serial).inserted { faults.append("\(serial) acknowledged twice") }
        if forgotten.contains(serial) { faults.append("\(serial) acknowledged after it was dropped") }
        if untakeable.contains(serial) != asDead { faults.append("\(serial) rejected: \(asDead)") }
    }

    private func obligations(of publication: AMQPPublication) throws -> [(serial: Serial, what: String)] {
        let headers = publication.properties.headers
        switch headers["x-martlet-event"] == nil ? publication.exchange : "martlet.results" {
        case "martlet.dead": return [(headers[JobHeader.attempt]?.integer ?? 0, "dead")]
        case "martlet.results":
            let trace = headers[JobHeader.traceparent]?.string ?? ""
            let serial = Serial(trace.dropFirst("serial-".count)) ?? 0
            let body = try JSON.object(publication.body)
            guard let outcomes = body["outcomes"] else {
                let problem = try JSON.objects(body["errors"]).first?["problem"] as? String ?? ""
                if problem.contains("refused a message of this job") { return [(serial, "given up")] }
                return [(serial, problem.contains("which the broker refuses") ? "told" : "event")]
            }
            return try JSON.objects(outcomes).map { (serial, $0["recipient"] as? String ?? "?") }
        default:
            let job = try decodedJob(String(decoding: publication.body, as: UTF8.self))
            let serial = headers[JobHeader.firstAttempt]?.integer ?? 0
            return job.recipients.map { (serial, String(decoding: job.bytes($0.token), as: UTF8.self)) }
        }
    }
}
