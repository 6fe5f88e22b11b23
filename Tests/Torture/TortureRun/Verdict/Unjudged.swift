/// A part of a record that an invariant could not judge, with the reason.
package struct Unjudged: Sendable, Hashable {
    package let invariant: Invariant
    package let text: String

    init(_ invariant: Invariant, _ text: String) {
        self.invariant = invariant
        self.text = text
    }

    /// Returns the invariants that cannot fail because the record has nothing that they judge.
    static func all(_ record: TortureRecord, _ tally: Tally) -> [Unjudged] {
        var all: [Unjudged] = []
        func add(_ invariant: Invariant, _ text: String, if isMissing: Bool) {
            if isMissing { all.append(Unjudged(invariant, text)) }
        }
        add(.onTime, "the run has faults", if: !record.faults.isEmpty)
        add(.cancelledStay, "no job was cancelled in time", if: tally.cancelledInTime == 0)
        add(.atMostOnce, "no job is at_most_once", if: tally.atMostOnceRecipients == 0)
        add(.unusableAreDead, "no job is unusable", if: tally.unusableJobs == 0)
        add(.namedOnce, "no job without an id was split", if: NameJudge.splitWithoutID(record).isEmpty)
        add(.latecomersWork, "no worker joined late", if: record.joins.isEmpty)
        add(.memoryFlat, "no worker ran long enough to judge growth", if: !MemoryJudge.canJudgeGrowth(record.memory))
        return all
    }
}
