import Foundation
import MartletCommand
import Testing

/// The check `results queues` of `martlet doctor --management`.
@Suite struct ResultsReadersTests {
    private func finding(_ queues: String, exchanges: [String] = []) throws -> String {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let queues = try decoder.decode([ResultsQueue].self, from: Data("[\(queues)]".utf8))
        return try ResultsReaders(exchange: "martlet.results", queues: queues, exchanges: exchanges).finding()
    }

    @Test(
        arguments: [
            (#"{"name": "a", "messages": 0, "consumers": 2}"#, [], "a: 0 messages, 2 consumers"),
            (#"{"name": "a", "messages": 0, "consumers": 0}"#, [], "a: 0 messages, 0 consumers"),
            (
                #"{"name": "a/ä", "messages": 1, "consumers": 1, "head_message_timestamp": ""}"#, [],
                "a/ä: 1 message, 1 consumer"
            ),
            (#"{"name": "a"}"#, [], "a: not counted yet"),
            (#"{"name": "a", "type": "stream", "messages": 7, "consumers": 0}"#, [], "a: 7 messages, 0 consumers"),
            ("", ["audit"], "the exchange audit, whose queues are not checked"),
        ] as [(String, [String], String)])
    func describesReaders(queues: String, exchanges: [String], text: String) throws {
        #expect(try finding(queues, exchanges: exchanges) == text)
    }

    @Test(arguments: [
        ("", "no queue is bound to martlet.results, so RabbitMQ drops outcomes"),
        (#"{"name": "a", "messages": 7, "consumers": 0}"#, "no consumer reads a: 7 messages"),
        (
            #"{"name": "a", "messages": 7, "consumers": 0, "head_message_timestamp": 1}"#,
            "no consumer reads a: 7 messages, the oldest "
        ),
    ])
    func warnsIfOutcomesAreDroppedOrUnread(queues: String, text: String) {
        let error = #expect(throws: (any Error).self) { try finding(queues) }
        #expect("\(String(describing: error))".contains(text))
    }

    @Test func reportsMissingExchange() {
        let error = #expect(throws: (any Error).self) {
            try ResultsReaders(exchange: "martlet.results", isMissing: true).finding()
        }
        #expect("\(String(describing: error))".contains("martlet.results does not exist"))
    }

    @Test func listsAtMostTenQueues() throws {
        let queues = (0..<12).map { #"{"name": "q\#($0)", "messages": 1, "consumers": 1}"# }.joined(separator: ",")
        let text = try finding(queues)
        #expect(text.hasSuffix("; and 2 more") && text.contains("q9") && !text.contains("q10"), "\(text)")
    }
}
