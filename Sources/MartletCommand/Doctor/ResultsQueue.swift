import Foundation
import MartletService

/// A queue that takes outcomes, as RabbitMQ's management API describes it.
package struct ResultsQueue: Decodable {
    private enum CodingKeys: String, CodingKey { case name, type, messages, consumers, headMessageTimestamp }

    let name: String
    /// The number of messages, or `nil` until the broker has gathered its first statistics.
    let messages: Int?
    let consumers: Int?
    /// The time at which the oldest message was published, in seconds since 1970. Only classic queues report it, and
    /// only if the publisher set a timestamp.
    private let oldest: Int?
    /// Whether the queue is a stream, which keeps messages after consumers have read them.
    private let isStream: Bool

    /// Creates a queue whose numbers are unknown.
    init(uncounted name: String) {
        self.name = name
        (messages, consumers, oldest, isStream) = (nil, nil, nil, false)
    }

    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        name = try values.decode(String.self, forKey: .name)
        messages = try values.decodeIfPresent(Int.self, forKey: .messages)
        consumers = try values.decodeIfPresent(Int.self, forKey: .consumers)
        // RabbitMQ reports an empty string if there is none.
        oldest = try? values.decode(Int.self, forKey: .headMessageTimestamp)
        isStream = try values.decodeIfPresent(String.self, forKey: .type) == "stream"
    }

    /// Whether messages wait and no consumer takes them. Always `false` for a stream, which also counts messages that
    /// consumers have read.
    var isUnread: Bool { !isStream && (messages ?? 0) > 0 && consumers == 0 }

    /// The queue's name and the numbers of its messages and consumers.
    var summary: String { depth + (consumers.map { ", \(Phrase.count($0, "consumer"))" } ?? "") }

    /// The queue's name and the number of its messages.
    var depth: String {
        guard let messages else { return "\(name): not counted yet" }
        var text = "\(name): \(Phrase.count(messages, "message"))"
        if messages > 0, let oldest {
            text += ", the oldest \(Phrase.duration(max(0, Int(Date.now.timeIntervalSince1970) - oldest))) old"
        }
        return text
    }
}
