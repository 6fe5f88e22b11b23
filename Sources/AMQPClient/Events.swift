import Foundations

extension EventName {
    static let brokerConnected = EventName("broker.connected")
    static let brokerLost = EventName("broker.connection.lost")
    static let brokerUnreachable = EventName("broker.connection.failed", repeats: true)
    static let brokerIncomplete = EventName("broker.incomplete", repeats: true)
    static let queuesVanished = EventName("broker.queues.vanished", repeats: true)
    static let declarationRefused = EventName("broker.declaration.refused", repeats: true)
    static let repeatedAcknowledgement = EventName("broker.acknowledgement.repeated", repeats: true)
    static let unknownReturn = EventName("broker.return.unknown", repeats: true)
    static let brokerBlocks = EventName("broker.blocked")
    static let brokerUnblocks = EventName("broker.unblocked")
}
