import PushSimulator
import TestSupport

extension SimulatedService {
    /// Starts a simulator on free ports. The ports are below the kernel's range for outgoing connections. Otherwise, a
    /// connection could take a port while the simulator is down.
    static func started(_ make: (_ port: Int) throws -> SimulatedService) async throws -> SimulatedService {
        for _ in 0..<100 {
            let simulator = try make(.random(in: 10_000..<20_000))
            do {
                try await simulator.start()
                return simulator
            } catch {
                // The port is in use, so another port is tried.
            }
        }
        throw Failure(description: "no free port for a simulator")
    }

    /// Reports all pushes to the run's log.
    ///
    /// - Parameter isOther: a closure that returns whether a request is not a push.
    func report(to log: RunLog, except isOther: @escaping @Sendable (String) -> Bool = { _ in false }) {
        observe { address, sighting in
            guard !isOther(address) else { return }
            let now = currentMilliseconds()
            guard let recipient = RecipientID(address: address) else { return log.odd("a request for \(address)") }
            log.add(SightingRecord(recipient: recipient, what: .init(sighting), at: now))
        }
    }

    /// Carries out a fault of connections or answers that all simulators support.
    ///
    /// - Parameter answer: a closure that converts an answer to the format of the service.
    /// - Returns: whether the fault is supported.
    func carryOut(
        _ fault: ServiceFault, for time: Duration, answer: (ServiceAnswer) -> Service.Answer
    ) async throws -> Bool {
        var standing = StandingFaults()
        switch fault {
        case .goAway(let announced): await sendGoAway(GoAwayFault(announcesFirst: announced))
        case .cut: await cutConnections()
        case .refuseStreams(let count):
            refuseStreams(count)
            // Requests for access tokens are so rare that the refusals could otherwise last for minutes.
            try await Task.sleep(for: .seconds(2))
            refuseStreams(0)
        case .down: try await goDown(for: time)
        case .next(let count, let word): answerNext(count, with: answer(word))
        case .slow(let milliseconds):
            standing.answerDelayMilliseconds = milliseconds
            try await stand(standing, for: time)
        case .silence(let all):
            standing.silence = all ? .all : .answers
            try await stand(standing, for: time)
        case .always(let word):
            standing.answer = answer(word)
            try await stand(standing, for: time)
        default: return false
        }
        return true
    }

    private func stand(_ faults: StandingFaults, for time: Duration) async throws {
        await setFaults(faults)
        try await Task.sleep(for: time)
        await setFaults(StandingFaults())
    }
}

extension SightingRecord.What {
    fileprivate init(_ sighting: RequestSighting) {
        self =
            switch sighting {
            case .arrived: .arrived
            case .disowned: .disowned
            case .answered(let status): .answered(status)
            case .unanswered: .unanswered
            }
    }
}
