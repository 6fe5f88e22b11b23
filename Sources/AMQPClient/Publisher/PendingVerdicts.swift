/// The confirms and refusals that the publisher has not reported yet. They are reported in one event for each kind.
struct PendingVerdicts {
    private var confirmed: [UInt64] = []
    private var refused: [UInt64] = []
    private var mayBeTaken: [UInt64] = []

    mutating func confirm(_ publication: AMQPPublication) { confirmed.append(publication.id) }

    mutating func refuse(_ publication: AMQPPublication) {
        if publication.isRepeated { mayBeTaken.append(publication.id) }
        refused.append(publication.id)
    }

    mutating func report(to onEvent: (AMQPPublisherEvent) -> Void) {
        defer { self = Self() }
        if !confirmed.isEmpty { onEvent(.confirmed(confirmed)) }
        if !mayBeTaken.isEmpty { onEvent(.mayBeTaken(mayBeTaken)) }
        if !refused.isEmpty { onEvent(.refused(refused)) }
    }
}
