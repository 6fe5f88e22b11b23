/// The decision about a dead job, and whether to end the run.
enum DeadVerdict {
    case keep, takeOut, keepAndEnd

    var takesOut: Bool { self == .takeOut }
    var isEnough: Bool { self == .keepAndEnd }
}
