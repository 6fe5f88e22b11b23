import Foundation
import Observability

/// A queue that receives result events, as RabbitMQ's management API describes it.
package struct ResultsQueue: Decodable {
    private enum CodingKeys: String, CodingKey { case name, type, messages, consumers, headMessageTimestamp }

    let name: String
    /// The number of messages, or `nil` if it is unknown, for example until the broker has gathered its first
    /// statistics.
    let messages: Int?
    let consumers: Int?
    /// The time at which the oldest message was published, in seconds since 1970, or `nil` if it is unknown. Only
    /// classic queues report it, and only if the publisher set a timestamp.
    private let oldest: Int?
    /// Whether the queue is a stream, which keeps messages after consumers have read them.
    private let isStream: Bool

    /// Creates a queue whose numbers of messages and consumers are unknown.
    init(uncounted name: String) {
        self.name = name
        (messages, consumers, oldest, isStream) = (nil, nil, nil, false)
    }

    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        name = try values.decode(String.self, forKey: .name)
        messages = try values.decodeIfPresent(Int.self, forKey: .messages)
        consumers = try values.decodeIfPresent(Int.self, forKey: .consumers)
        // RabbitMQ reports an empty string if there is no timestamp.
        oldest = try? values.decode(Int.self, forKey: .headMessageTimestamp)
        isStream = try values.decodeIfPresent(String.self, forKey: .type) == "stream"
    }

    /// Whether messages wait and the queue has no consumer. Always `false` for a stream, whose count also includes
    /// messages that consumers have read.
    var isUnread: Bool { !isStream && (messages ?? 0) > 0 && consumers == 0 }

    /// The queue's name, the number of its messages and the number of its consumers, as text.
    var summary: String { depth + (consumers.map { ", \(Phrase.count($0, "consumer"))" } ?? "") }

    /// The queue's name and the number of its messages, as text.
    var depth: String {
        guard let messages else { return "\(name): not counted yet" }
        var text = "\(name): \(Phrase.count(messages, "message"))"
        if messages > 0, let oldest {
            text += ", the oldest \(Phrase.duration(max(0, Int(Date.now.timeIntervalSince1970) - oldest))) old"
        }
        return text
    }
}
