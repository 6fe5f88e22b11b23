import Contract
import DeliveryPipeline
import PushModel
import Testing
import Foundations
import Traces

/// A recorder of the spans that a harness creates. The span ids are consecutive numbers.
final class SpanRecorder: Sendable {
    private let all = Mutex<[Span]>([])
    private let lastID = Atomic<UInt64>(0)

    var spans: [Span] { all.withLock { $0 } }
    var names: [String] { spans.map(\.name) }

    func tracer(_ name: String = "parentbased_always_on", share: Double = 1) throws -> JobTracer {
        JobTracer(
            try #require(TraceSampler(name, share: share)), names: PipelineNames(),
            random: { self.lastID.add(1, ordering: .relaxed).newValue }
        ) { spans in self.all.withLock { $0 += spans } }
    }

    func span(_ prefix: String) throws -> Span { try #require(spans.first { $0.name.hasPrefix(prefix) }, "\(names)") }
}

extension Span {
    subscript(key: String) -> String? {
        switch attributes.first(where: { $0.key == key })?.value {
        case .text(let text): text
        case .integer(let number): "\(number)"
        case .boolean(let flag): "\(flag)"
        case nil: nil
        }
    }
}
