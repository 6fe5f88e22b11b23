/// What becomes of a dead job, and whether it was the last to be looked at.
enum DeadVerdict {
    case keep, takeOut, keepAndEnd

    var takesOut: Bool { self == .takeOut }
    var isEnough: Bool { self == .keepAndEnd }
}
