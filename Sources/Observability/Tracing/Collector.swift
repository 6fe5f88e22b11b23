import Foundation
import Foundations
import HTTP2Pool
import HTTP2Session
import NIOCore
import PushModel
import PushSending
import Store
import Traces

/// A client that sends traces to the collector over OTLP/HTTP, in JSON. Each request opens its own connection, because
/// there is only about one request per second.
struct Collector: Sendable {
    struct Reply: Sendable {
        let meaning: TraceExport.Answer
        /// A description for the log.
        let text: String
    }

    /// The part of a response that describes rejected spans.
    private struct Body: Decodable {
        struct PartialSuccess: Decodable {
            let rejectedSpans: Count?
            let errorMessage: String?
        }

        /// A 64-bit number, which OTLP encodes as a JSON string. Some collectors send a JSON number.
        struct Count: Decodable {
            let number: Int

            init(from decoder: any Decoder) throws {
                let value = try decoder.singleValueContainer()
                number = try (try? value.decode(Int.self)) ?? Int(value.decode(String.self)) ?? 0
            }
        }

        let partialSuccess: PartialSuccess?
    }

    private static let longestText = 200

    private let configuration: TracingConfiguration
    private let eventLoop: any EventLoop

    init(_ configuration: TracingConfiguration, on eventLoop: any EventLoop) {
        self.configuration = configuration
        self.eventLoop = eventLoop
    }

    func body(_ spans: [Span]) -> [UInt8] {
        OTLPTraces.body(spans, resource: configuration.resource, version: Build.version)
    }

    func post(_ body: [UInt8]) async -> Reply {
        do {
            let answer = try await SingleRequest.perform(
                fields: try configuration.fields(), path: configuration.path, body: HTTP2Body(body),
                with: configuration.pool(), on: eventLoop)
            return Self.reply(answer)
        } catch {
            return Reply(meaning: .none, text: "\(error)".cut(toBytes: Self.longestText))
        }
    }

    private static func reply(_ answer: SingleRequest.Answer) -> Reply {
        let seconds = answer.fields["retry-after"].flatMap { text in
            Array(text.utf8).withUnsafeBytes { RetryAfter.seconds($0, now: .now) }
        }
        let body = try? JSONDecoder().decode(Body.self, from: Data(answer.body))
        let rejected = max(0, body?.partialSuccess?.rejectedSpans?.number ?? 0)
        let words = body?.partialSuccess?.errorMessage ?? ""
        return Reply(
            meaning: .status(answer.status, retryAfter: seconds.map(Int.init) ?? 0, rejected: rejected),
            text: (words.isEmpty ? "status \(answer.status)" : words).cut(toBytes: longestText))
    }
}
