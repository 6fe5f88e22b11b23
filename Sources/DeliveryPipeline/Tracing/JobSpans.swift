import AMQPClient
import Contract
import PushModel
import Traces

/// The spans of one delivery of a job, following OpenTelemetry's conventions for messaging. There are at most six
/// spans, regardless of the number of recipients. They contain no device token, ref or payload.
struct JobSpans {
    private let job: OpenJob
    private let started: StartedJob?
    private let trace: JobTrace
    private let tracer: JobTracer
    private let now: Timestamp

    static func all(of job: OpenJob, _ trace: JobTrace, _ tracer: JobTracer, now: Timestamp) -> [Span] {
        let spans = JobSpans(job: job, started: job as? StartedJob, trace: trace, tracer: tracer, now: now)
        return [
            spans.process, spans.route, spans.scatter, spans.push, spans.telling, spans.marking,
        ].compactMap(\.self)
    }

    // MARK: Spans

    /// The span from receipt to acknowledgement. If the message has a trace context, that context is both the parent
    /// and a link of the span, because a backend may show either.
    private var process: Span {
        let (inbound, names) = (job.inbound, tracer.names)
        let (exchange, key) = names.route(to: inbound.queue, lane: inbound.lane)
        let destination = "\(exchange):\(key):\(names.queue(of: inbound.queue))"
        var span = Span(
            "process \(destination)", .consumer, trace.context, parent: trace.parent?.span, parentIsRemote: true,
            state: trace.state, from: inbound.arrivedAt, to: now)
        span.attributes = messaging("process", type: "process", destination)
        span.add("messaging.rabbitmq.destination.routing_key", key)
        span.add("messaging.rabbitmq.message.delivery_tag", Int(clamping: inbound.delivery.tag.number))
        span.add("messaging.message.id", inbound.delivery.properties.messageID)
        span.add("messaging.message.body.size", inbound.delivery.body.count)
        span.add("martlet.lane", inbound.lane.rawValue)
        span.add("martlet.attempt", inbound.attempt)
        span.add("martlet.redelivered", inbound.wasSentBefore)
        if let started {
            span.add("martlet.job", started.job.id)
            span.add("martlet.app", started.job.app)
            span.add("martlet.output", started.output.name)
            span.add("martlet.recipients", started.job.recipients.count)
        }
        addCounts(to: &span)
        if trace.push == nil { addReasons(to: &span) }
        if let parent = trace.parent { span.links = [Span.Link(parent, state: trace.state)] }
        span.fail(trace.error ?? (job.isUntakeable ? "unpublishable" : nil))
        return span
    }

    /// The span of routing, or `nil` if the job was not started. If the job needs a claim, most of the span is the wait
    /// for the database's answer.
    private var route: Span? {
        guard let started, var span = child("route", .internal, trace.route) else { return nil }
        span.add("martlet.app", started.job.app)
        span.add("martlet.output", started.output.name)
        span.add("martlet.environment", started.environment.rawValue)
        span.add("martlet.topic", started.job.topic)
        span.add("martlet.credential", trace.credential)
        span.add("martlet.claimed", started.hasClaim)
        let way =
            started.isSent ? "sent" : trace.scatter != nil ? "scattered" : started.isSettled ? "settled" : "moved"
        span.add("martlet.way", way)
        return span
    }

    /// The span of publishing the chunks of the job, or `nil` if the job was not split.
    private var scatter: Span? {
        guard let scatter = trace.scatter else { return nil }
        let key = PipelineNames.returningKey(to: job.inbound.lane)
        let destination = "\(tracer.names.moved):\(key)"
        var span = Span(
            "scatter \(destination)", .producer, scatter.context, parent: trace.context.span, state: trace.state,
            from: scatter.step.start, to: now)
        span.attributes = messaging("scatter", type: "send", destination)
        span.add("messaging.rabbitmq.destination.routing_key", key)
        span.add("messaging.batch.message_count", scatter.step.begun)
        span.fail(job.isUntakeable ? "unpublishable" : nil)
        return span
    }

    /// The span from passing the job to its output to the last outcome, or `nil` if the output reported no outcome.
    private var push: Span? {
        guard let started, trace.outcomes.pushed > 0, let step = trace.push,
            var span = child("push \(started.output.name)", .client, step)
        else {
            return nil
        }
        span.add("martlet.output", started.output.name)
        span.add("martlet.environment", started.environment.rawValue)
        span.add("martlet.credential", trace.credential)
        span.add("martlet.recipients", started.job.recipients.count)
        addCounts(to: &span)
        for (status, count) in trace.outcomes.statuses { span.add("martlet.statuses.\(status)", count) }
        addReasons(to: &span)
        span.fail(trace.outcomes.failure)
        return span
    }

    /// The span from publishing the first result event with outcomes to the last confirm, or `nil` if there is no such
    /// event.
    private var telling: Span? {
        guard let step = trace.telling, var span = child("send \(tracer.names.results)", .producer, step) else {
            return nil
        }
        span.attributes = messaging("send", type: "send", tracer.names.results)
        span.add("messaging.batch.message_count", step.begun)
        span.add("martlet.outcomes", step.outcomes)
        span.fail(step.done < step.begun ? "unconfirmed" : nil)
        return span
    }

    /// The span of marking dead tokens in the database, or `nil` if the job had no dead tokens.
    private var marking: Span? {
        guard let step = trace.marking, var span = child("mark tokens", .client, step) else { return nil }
        span.add("db.system.name", "postgresql")
        span.add("db.operation.name", "mark")
        span.add("martlet.tokens", step.begun)
        span.fail(step.done < step.begun ? "database_unavailable" : nil)
        return span
    }

    // MARK: Helpers

    private func child(_ name: String, _ kind: Span.Kind, _ step: JobTrace.Step) -> Span? {
        tracer.newSpan().map {
            Span(
                name, kind, TraceContext(trace: trace.context.trace, span: $0, isSampled: true),
                parent: trace.context.span, state: trace.state, from: step.start, to: step.end ?? now)
        }
    }

    private func messaging(_ operation: String, type: String, _ destination: String) -> [Span.Attribute] {
        [
            .init("messaging.system", .text("rabbitmq")), .init("messaging.operation.name", .text(operation)),
            .init("messaging.operation.type", .text(type)), .init("messaging.destination.name", .text(destination)),
        ]
    }

    private func addCounts(to span: inout Span) {
        for verdict in Outcome.Verdict.allCases {
            let count = trace.outcomes.counts[Int(verdict.rawValue)]
            if count > 0 { span.add("martlet.outcomes.\(verdict)", count) }
        }
    }

    private func addReasons(to span: inout Span) {
        for reason in trace.outcomes.reasons {
            var attributes: [Span.Attribute] = [
                .init("martlet.outcome", .text("\(reason.verdict)")), .init("martlet.reason", .text(reason.reason)),
                .init("martlet.count", .integer(reason.count)),
            ]
            if let id = reason.id { attributes.append(.init("martlet.provider_id", .text(id))) }
            span.events.append(Span.Event("outcome", at: reason.first, attributes))
        }
    }
}

extension Span {
    fileprivate mutating func add(_ key: String, _ text: String?) {
        if let text { attributes.append(Attribute(key, .text(text))) }
    }

    fileprivate mutating func add(_ key: String, _ number: Int) { attributes.append(Attribute(key, .integer(number))) }

    fileprivate mutating func add(_ key: String, _ flag: Bool) { attributes.append(Attribute(key, .boolean(flag))) }

    fileprivate mutating func fail(_ error: String?) {
        guard let error else { return }
        self.error = error
        attributes.append(Attribute("error.type", .text(error)))
    }
}

extension PipelineNames {
    /// Returns the exchange and routing key that lead to a queue.
    fileprivate func route(to queue: JobQueue, lane: Lane) -> (exchange: String, key: String) {
        if queue == .dropped { return (dropped, lane.rawValue) }
        guard let key = Self.movingKey(to: queue) else { return (jobs, lane.rawValue) }
        return (moved, key)
    }
}
