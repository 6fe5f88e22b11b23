import MartletConfiguration

/// The queues and exchanges that are bound to the results exchange.
package struct ResultsReaders {
    /// The name of the results exchange.
    let exchange: String
    let queues: [ResultsQueue]
    /// The names of the exchanges that are bound to the results exchange. Their queues may belong to another
    /// application and are not checked.
    let exchanges: [String]

    private let isMissing: Bool
    private static let mostShown = 10

    /// Creates the list of queues and exchanges.
    ///
    /// - Parameter isMissing: whether the results exchange does not exist.
    package init(
        exchange: String, queues: [ResultsQueue] = [], exchanges: [String] = [], isMissing: Bool = false
    ) {
        (self.exchange, self.queues, self.exchanges, self.isMissing) = (exchange, queues, exchanges, isMissing)
    }

    /// Returns the text of the finding if every queue that is bound to the results exchange has a consumer or no
    /// messages.
    ///
    /// - Throws: ``DoctorWarning`` if result events are dropped or wait in a queue without a consumer; ``DoctorNote``
    ///   if the results exchange does not exist.
    package func finding() throws -> String {
        guard !isMissing else { throw DoctorNote("\(exchange) does not exist", todo: "see the check of queues") }
        guard !queues.isEmpty || !exchanges.isEmpty else {
            throw DoctorWarning(
                "no queue is bound to \(exchange), so RabbitMQ drops outcomes unless that exchange has an alternate exchange",
                todo: "bind your consumer's queue, see docs/consume.md")
        }
        let unread = queues.filter(\.isUnread)
        guard unread.isEmpty else {
            throw DoctorWarning(
                "no consumer reads \(Self.list(unread.map(\.depth)))",
                todo: "start the consumer, or delete the queue if neither it nor its messages are needed")
        }
        return Self.list(
            queues.map(\.summary)
                + exchanges.map { "the exchange \($0), whose queues are not checked" })
    }

    private static func list(_ texts: [String]) -> String {
        let more = texts.count > mostShown ? "; and \(texts.count - mostShown) more" : ""
        return texts.prefix(mostShown).joined(separator: "; ") + more
    }
}
