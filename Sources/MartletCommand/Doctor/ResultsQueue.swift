import Foundation
import MartletService

/// A queue that takes outcomes, as RabbitMQ's management API describes it.
struct ResultsQueue: Decodable {
    let name: String
    /// Missing until the broker has gathered its first figures.
    let messages: Int?
    let consumers: Int?
    /// When the oldest message was published, in seconds since 1970. Only classic queues report it.
    let headMessageTimestamp: ManagementFacts.Value?

    private var depth: String {
        guard let messages else { return "\(name): not counted yet" }
        var text = "\(name): \(Phrase.count(messages, "message"))"
        if messages > 0, let published = headMessageTimestamp?.number {
            text += ", the oldest \(Phrase.duration(max(0, Int(Date.now.timeIntervalSince1970) - published))) old"
        }
        return text
    }

    /// The finding about all queues that are bound to the exchange of results.
    /// - Throws: ``DoctorWarning`` if outcomes are dropped or nobody reads them.
    static func check(_ queues: [ResultsQueue], exchange: String) throws -> String {
        guard !queues.isEmpty else {
            throw DoctorWarning(
                "no queue is bound to \(exchange), so RabbitMQ drops all outcomes",
                todo: "bind your consumer's queue, see docs/consume.md")
        }
        let unread = queues.filter { ($0.messages ?? 0) > 0 && $0.consumers == 0 }
        guard unread.isEmpty else {
            throw DoctorWarning(
                "nobody reads \(unread.map(\.depth).joined(separator: "; "))",
                todo: "start the consumer, or delete the queue if nobody needs it")
        }
        return queues.map { "\($0.depth), \(Phrase.count($0.consumers ?? 0, "consumer"))" }.joined(separator: "; ")
    }
}
