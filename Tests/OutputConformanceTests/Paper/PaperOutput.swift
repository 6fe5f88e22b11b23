import Dispatch
import Foundation
import PushModel
import Foundations

/// A complete output without a network. It follows every rule, except the rule that its fault breaks.
final class PaperOutput: Output {
    struct Push: Sendable {
        let job: RoutedJob
        let recipient: Int
        let sink: any OutcomeSink

        var token: String { String(decoding: job.job.bytes(job.job.recipients[recipient].token), as: UTF8.self) }
        var connection: String { job.credential?.id ?? "" }
    }

    fileprivate struct State {
        var waiting: [Push] = []
        /// The pushes on the wire, by their number.
        var onTheWire: [Int: Push] = [:]
        var pushesBegun = 0
        var isStopped = false
        var named: Set<Credential.ID> = []
        var retired: Set<Credential.ID> = []
        var connections: Set<String> = []
        var whenIdle: [CheckedContinuation<Void, Never>] = []
        // The properties below are used only by faults.
        var kept: [RoutedJob] = []
        var dropped: Set<Credential.ID> = []
        var wasAway = false
        var wasForbidden = false
        /// The first credential of each token.
        var firstCredentials: [String: Credential.ID] = [:]
        var cancellations: [@Sendable (String) -> Bool] = []
        var lastJob: RoutedJob?
        var lastSink: (any OutcomeSink)?

        var isIdle: Bool { waiting.isEmpty && onTheWire.isEmpty }

        /// Returns whether the first push to a token of the job used another credential.
        mutating func isBoundElsewhere(_ job: RoutedJob, _ credential: Credential.ID) -> Bool {
            job.job.recipients.contains { recipient in
                let token = String(decoding: job.job.bytes(recipient.token), as: UTF8.self)
                defer { firstCredentials[token] = firstCredentials[token] ?? credential }
                return firstCredentials[token].map { $0 != credential } ?? false
            }
        }
    }

    static let wire = 8

    private let provider: PaperProvider
    private let fault: PaperFault?
    private let state = Mutex(State())

    init(_ provider: PaperProvider, _ fault: PaperFault?) {
        self.provider = provider
        self.fault = fault
    }

    private var now: Timestamp { Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)) }

    // MARK: Calls of the host

    func send(_ job: RoutedJob, reportingTo sink: any OutcomeSink) {
        let pushes = job.job.recipients.indices.map { Push(job: job, recipient: $0, sink: sink) }
        if fault == .worksInTheCall { usleep(UInt32(pushes.count) * 600) }
        if let (verdict, reason) = verdictAtOnce(on: job) { return report(pushes, verdict, reason) }
        state.withLock { state in
            state.waiting += pushes
            if fault == .mixesSinks || fault == .repeatsItself { state.lastSink = sink }
            if fault == .repeatsItself { state.lastJob = job }
            if fault == .keepsJobs { state.kept.append(job) }
        }
        fillTheWire()
    }

    func credentialsChanged(to credentials: Set<Credential.ID>) {
        let (pushes, closed) = state.withLock { state in
            if fault == .dropsWhatStays { state.dropped.formUnion(state.connections.intersection(credentials)) }
            state.retired.formUnion(state.named.subtracting(credentials))
            if fault != .neverTakesBack { state.retired.subtract(credentials) }
            state.named = credentials
            let closed = fault == .keepsConnections ? [] : state.connections.intersection(state.retired)
            state.connections.subtract(closed)
            let retired = state.retired
            return (state.takeWaiting { retired.contains($0.connection) }, closed)
        }
        if fault == .failsRetired { report(pushes, .failed, "Retired") } else { report(pushes, .returned) }
        for connection in closed { provider.close(connection) }
    }

    func cancel(_ isCancelled: @escaping @Sendable (_ job: String) -> Bool) {
        if fault == .ignoresCancel { return }
        let pushes = state.withLock { state in
            if fault == .cancelsForEver { state.cancellations.append(isCancelled) }
            return state.takeWaiting { fault == .cancelsAll || isCancelled($0.job.job.id) }
        }
        report(pushes, .failed, Outcome.cancelled)
    }

    func stopSending() {
        let (pushes, last) = state.withLock { state in
            let last = state.isIdle ? state.lastJob : nil
            state.isStopped = true
            var pushes = fault == .finishesAll ? [] : state.takeWaiting { _ in true }
            if fault == .abandonsTheWire {
                pushes += state.onTheWire.values
                state.onTheWire = [:]
            }
            return (pushes, last)
        }
        report(pushes, .returned)
        if let last {
            state.withLock(\.lastSink)?.report([Outcome(job: last, recipient: 0, verdict: .sent, at: now)])
        }
        wakeIfIdle()
    }

    func shutDown() async {
        await withCheckedContinuation { continuation in
            state.withLock { $0.whenIdle.append(continuation) }
            wakeIfIdle()
        }
        if fault != .leavesOpen { for connection in state.withLock(\.connections) { provider.close(connection) } }
        if fault == .neverEnds { try? await Task.sleep(for: .seconds(3_600)) }
        if fault == .keepsItself { DispatchQueue.global().asyncAfter(deadline: .now() + 3_600) { _ = self } }
    }

    // MARK: Pushes

    /// Returns the verdict and reason of a job that needs no provider, or `nil` if its pushes must be sent.
    private func verdictAtOnce(on job: RoutedJob) -> (Outcome.Verdict, String?)? {
        let isExpired =
            fault == .fearsDeadlines
            ? job.job.expiration != nil : job.job.isExpired(at: now) && fault != .ignoresDeadlines
        if isExpired { return (.expired, nil) }
        return state.withLock { state in
            if state.isStopped, fault != .sendsAfterStop { return (.returned, nil) }
            guard let credential = job.credential?.id else { return (.failed, "NoCredential") }
            if state.dropped.contains(credential) { return (.failed, "Dropped") }
            if state.retired.contains(credential) {
                return fault == .failsLateComers ? (.failed, "Retired") : (.returned, nil)
            }
            if fault == .wantsToBeToldFirst, !state.named.isEmpty, !state.named.contains(credential) {
                return (.returned, nil)
            }
            if state.cancellations.contains(where: { $0(job.job.id) }) { return (.failed, Outcome.cancelled) }
            if fault == .suspectsAll || fault == .holdsAll, state.wasForbidden { return (.hold, "Forbidden") }
            if fault == .bindsAddresses, state.isBoundElsewhere(job, credential) { return (.rejected, "KeyMismatch") }
            if fault == .neglectsBulk, job.lane == .bulk { return (.failed, "TooLowly") }
            if fault == .retriesLargePayloads, job.job.payload.count > 60_000 { return (.retry, "TooLarge") }
            if fault == .retriesOddTopics, job.job.topic?.contains("\r\n") == true { return (.retry, "Odd") }
            return nil
        }
    }

    private func fillTheWire() {
        let begun = state.withLock { state in
            let room = max(0, Self.wire - state.onTheWire.count)
            let next = state.waiting.prefix(room)
            state.waiting.removeFirst(next.count)
            return next.map { push in
                state.pushesBegun += 1
                state.onTheWire[state.pushesBegun] = push
                state.connections.insert(push.connection)
                return (number: state.pushesBegun, push: push)
            }
        }
        for (number, push) in begun { begin(push, number) }
    }

    private func begin(_ push: Push, _ number: Int) {
        let token = push.token
        guard token.utf8.count <= 100, token.unicodeScalars.allSatisfy({ (33...126).contains($0.value) }) else {
            return end(number, fault == .retriesAnyText ? .retry : .rejected, "NoAddress")
        }
        if fault == .sendsTwice, push.job.job.recipients.count > 100 {
            provider.take(token, over: push.connection) { _ in }
        }
        provider.take(token, over: push.connection) { self.answered(number, $0) }
    }

    private func answered(_ number: Int, _ answer: PaperProvider.Answer) {
        if fault == .neverRecovers, state.withLock(\.wasAway) { return end(number, .retry, "Away") }
        switch answer {
        case .accepted: end(number, .sent, nil)
        case .refused("NoSuchDoor") where fault == .buriesTheRefused: end(number, .unregistered, "NoSuchDoor")
        case .refused("NotToday") where fault == .insists: end(number, .retry, "NotToday")
        case .refused(let reason): end(number, .rejected, reason, seconds: fault == .waitsForNothing ? 7 : 0)
        case .dead where fault == .keepsTheDead: end(number, .rejected, "Dead")
        case .dead where fault == .knowsMarks: end(number, .suppressed, "Dead")
        case .dead: end(number, .unregistered, "Dead")
        case .later where fault == .givesUp: end(number, .failed, "Busy")
        case .later(let seconds): end(number, .retry, fault == .givesNoReason ? nil : "Busy", seconds: seconds)
        case .forbidden:
            state.withLock { $0.wasForbidden = true }
            end(number, .retry, "Forbidden")
        case .credentialRefused:
            if fault == .holdsAll { state.withLock { $0.wasForbidden = true } }
            end(number, fault == .blamesRecipients ? .rejected : .hold, "BadKey")
        case .nonsense where fault == .believesNonsense: end(number, .sent, nil)
        case .nonsense: end(number, .unknown, "Nonsense")
        case .connectionLost: end(number, fault == .hopesAfterHangUp ? .retry : .unknown, "ConnectionLost")
        case .nothing: end(number, fault == .hopesAfterSilence ? .retry : .unknown, "NoAnswer")
        case .unreachable:
            if fault == .neverRecovers { state.withLock { $0.wasAway = true } }
            end(number, fault == .doubtsWithoutNeed ? .unknown : .retry, "Away")
        }
    }

    private func end(_ number: Int, _ verdict: Outcome.Verdict, _ reason: String?, seconds: Int32 = 0) {
        guard let push = state.withLock({ $0.onTheWire.removeValue(forKey: number) }) else { return }
        report([push], verdict, reason, seconds: seconds)
        fillTheWire()
        wakeIfIdle()
    }

    private func report(_ pushes: [Push], _ verdict: Outcome.Verdict, _ reason: String? = nil, seconds: Int32 = 0) {
        for push in pushes {
            let isLast = push.recipient == push.job.job.recipients.count - 1
            let isLarge = push.job.job.recipients.count > 100
            if fault == .forgets, isLast, isLarge { continue }
            let isDated = verdict == .unregistered || fault == .datesTheLiving
            func outcome(_ recipient: Int) -> Outcome {
                Outcome(
                    job: push.job, recipient: recipient, verdict: verdict, reason: reason, judge: .provider,
                    unregisteredAt: isDated ? now : nil, trimmedBytes: fault == .cutsUnasked ? 3 : 0,
                    retryAfterSeconds: seconds, at: fault == .hasNoClock ? Timestamp(seconds: 0) : now)
            }
            let others = fault == .mixesSinks ? state.withLock(\.lastSink) : nil
            (others ?? push.sink).report(
                [outcome(push.recipient)] + (fault == .invents && isLast ? [outcome(push.recipient + 1)] : []))
            if fault == .reportsNothing { push.sink.report([]) }
        }
    }

    private func wakeIfIdle() {
        let waiters = state.withLock { state in
            guard state.isIdle else { return [CheckedContinuation<Void, Never>]() }
            defer { state.whenIdle = [] }
            return state.whenIdle
        }
        for waiter in waiters { waiter.resume() }
    }
}

extension PaperOutput.State {
    fileprivate mutating func takeWaiting(where isMeant: (PaperOutput.Push) -> Bool) -> [PaperOutput.Push] {
        let taken = waiting.filter(isMeant)
        waiting.removeAll(where: isMeant)
        return taken
    }
}
