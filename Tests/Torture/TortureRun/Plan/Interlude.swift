import TestSupport

/// A fault whose effect can be observed only while no other fault hides it. It occurs once in a run, and conflicting
/// faults are left out.
struct Interlude {
    let fault: Fault
    /// The start of the fault, in milliseconds after the start of the run.
    private let start: Int
    private let length: ClosedRange<Int>
    /// The time during which other faults are still left out after the latest possible end of this fault, in
    /// milliseconds.
    private let rest: Int

    /// Returns the interludes for which the run is long enough. A longer run begins with the same interludes as a
    /// shorter one.
    static func all(_ profile: Profile) -> [Interlude] {
        var all: [Interlude] = []
        if profile.seconds >= profile.joinsFrom {
            all.append(Interlude(fault: .joinLate, start: 45_000, length: 10_000...10_000, rest: 25_000))
            // These interludes occur after the interlude of the late worker, while no other fault disturbs the workers.
            all += (0..<3).map {
                Interlude(
                    fault: .killWhileSplitting(JobNumber.staged($0)), start: 65_000 + $0 * 5_000, length: 0...0,
                    rest: 5_000)
            }
        }
        if profile.seconds >= profile.standsStillFrom {
            all.append(Interlude(fault: .lockTables, start: 150_000, length: profile.standstill, rest: 5_000))
        }
        return all
    }

    func entry(seed: UInt64) -> Schedule.Entry {
        var generator = SplitMix64(seed: seed)
        return Schedule.Entry(start: start, milliseconds: .random(in: length, using: &generator), fault: fault)
    }

    /// Returns whether another fault must be left out because it would hide this fault. The other fault may take longer
    /// than planned, by up to the time for draining a worker.
    func leavesOut(_ entry: Schedule.Entry, _ profile: Profile) -> Bool {
        let time = start - profile.drainSeconds * 1_000...start + length.upperBound + rest
        guard entry.start <= time.upperBound, entry.start + entry.milliseconds >= time.lowerBound else { return false }
        switch entry.fault {
        case .rotateCredential, .reconfigureWorker, .setPace: return false
        // At least one worker must keep its connection to the broker all the time. The other workers may lose theirs.
        case _ where fault == .lockTables: return entry.fault.disconnects(worker: 1) || entry.fault.affectsDatabase
        default: return true
        }
    }
}
