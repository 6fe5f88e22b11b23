/// The decision about a dead job, and about whether the command continues with the next job.
enum DeadVerdict {
    case keep, takeOut, keepAndEnd

    var takesOut: Bool { self == .takeOut }
    var isEnough: Bool { self == .keepAndEnd }
}
