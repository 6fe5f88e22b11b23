package import Foundations
package import Logging
import NIOPosix
import PushModel
import ServiceLifecycle
import Traces

/// A service that sends spans to the collector in batches. Deliveries never wait for it. A shutdown waits at most one
/// second for it. During this time, the service makes no attempt after a failed one.
package struct TraceService: Service {
    private static let batch = 512
    /// The maximum time that an incomplete batch waits for more spans.
    private static let company = Duration.seconds(1)

    private let buffer: SpanBuffer
    private let collector: Collector
    private let sleep = InterruptibleSleep()
    private let lastPatience: Duration
    private let failures: OngoingFailures
    private let logger: Logger

    /// Creates a service.
    ///
    /// - Parameter lastPatience: the maximum time that a shutdown waits for the collector.
    package init(
        _ configuration: TracingConfiguration, _ buffer: SpanBuffer, lastPatience: Duration = .seconds(1),
        failures: OngoingFailures = OngoingFailures(), logger: Logger
    ) {
        self.buffer = buffer
        self.lastPatience = lastPatience
        self.failures = failures
        self.logger = logger
        collector = Collector(configuration, on: MultiThreadedEventLoopGroup.singleton.next())
    }

    package func run() async throws {
        let (ended, end) = AsyncStream.makeStream(of: Void.self)
        let work = Task {
            await self.work()
            end.finish()
        }
        try? await gracefulShutdown()
        let before = buffer.counts.dropped
        sleep.end()
        buffer.close()
        let patience = Task {
            try? await Task.sleep(for: lastPatience)
            end.finish()
        }
        for await _ in ended {}
        patience.cancel()
        work.cancel()
        buffer.end()
        let left = buffer.counts.dropped - before
        if left > 0 {
            logger.notice(
                .tracesLeft, "Some spans were not sent before shutdown", metadata: ["spans": .stringConvertible(left)])
        }
    }

    private func work() async {
        var export = TraceExport()
        for await _ in buffer.arrivals {
            while buffer.count > 0, !sleep.isOver {
                if buffer.count < Self.batch { await sleep.sleep(Self.company) }
                await send(buffer.take(Self.batch), &export)
            }
        }
        while buffer.count > 0, !export.isFailing, !Task.isCancelled { await send(buffer.take(Self.batch), &export) }
    }

    private func send(_ spans: [Span], _ export: inout TraceExport) async {
        let body = collector.body(spans)
        while true {
            let answer = await collector.post(body)
            switch export.decide(answer.meaning, random: .random(in: 0...1)) {
            case .sent(let rejected):
                let rejected = min(rejected, spans.count)
                buffer.sent(spans.count - rejected)
                buffer.refused(rejected)
                failures.ended(.tracesTaken, "The collector accepts traces again", after: .tracesFailed, to: logger)
                if rejected > 0 { warn(.tracesRefused, "The collector refused spans", answer, rejected) }
                return
            case .refused:
                buffer.refused(spans.count)
                return warn(.tracesRefused, "The collector refused spans", answer, spans.count)
            case .wait(let time):
                failures.began(
                    .tracesFailed, "Traces cannot be sent; retrying", answer.text,
                    metadata: ["spans": .stringConvertible(spans.count)], to: logger)
                await sleep.sleep(time)
                guard sleep.isOver else { continue }
                return buffer.givenUp(spans.count)
            case .giveUp(let time):
                buffer.givenUp(spans.count)
                warn(.tracesGivenUp, "Dropped spans that could not be sent", answer, spans.count)
                return await sleep.sleep(time)
            }
        }
    }

    private func warn(_ event: EventName, _ message: Logger.Message, _ answer: Collector.Reply, _ spans: Int) {
        logger.warning(
            event, message, metadata: ["spans": .stringConvertible(spans), "reason": "\(answer.text)"])
    }
}
