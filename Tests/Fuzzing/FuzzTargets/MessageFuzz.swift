import AMQPClient
import Contract
import DeliveryPipeline
import PushModel

/// A fuzz target for messages from the broker. Everything read from a message is within its bounds, and the messages
/// made from it can be published.
enum MessageFuzz {
    private static let now = Timestamp(seconds: 1_800_000_000)
    /// The space for headers in the smallest frame that current RabbitMQ versions accept, in bytes. The rest of the
    /// frame is left to the other properties.
    private static let smallestRoom = 8_192 - 3_000

    static func violation(in input: UnsafeRawBufferPointer) -> String? {
        var input = InputReader(input)
        let shape = input.byte()
        let (properties, problem) = AMQPProperties.read(wire: MessageEncoder.properties(&input))
        if let violation = violation(of: properties) { return violation }
        let body = input.remaining()
        if let content = try? EncodedBody.content(of: body), content.count >= body.count, !content.isEmpty {
            return "a body of \(body.count) bytes holds \(content.count)"
        }
        let queue = JobQueue.kinds.dropFirst(Int(shape % 12)).first
        let tag = AMQPDeliveryTag(epoch: 1, queueIndex: queue?.tagIndex ?? UInt16(JobQueue.all.count), number: 1)
        let delivery = AMQPDelivery(
            tag: tag, isRedelivered: shape & 0x80 != 0, exchange: "martlet.jobs", routingKey: "normal",
            properties: properties, body: Array("{}".utf8), problem: problem)
        guard let inbound = InboundJob(delivery) else {
            return queue == nil ? nil : "a delivery of no queue"
        }
        return violation(of: inbound) ?? violationOfWhatIsMade(of: inbound)
    }

    /// Checks that properties can be written and are read back unchanged.
    private static func violation(of properties: AMQPProperties) -> String? {
        if depth(of: properties.headers) > AMQPFieldTable.maximumDepth { return "headers nested too deep" }
        guard let wire = properties.wire(limit: 1 << 20) else { return "the properties can't be written" }
        // The wire forms are compared because NaN is not equal to itself.
        let (again, problem) = AMQPProperties.read(wire: wire)
        guard problem == nil, again.wire(limit: 1 << 20) == wire else {
            return "the properties change when they are written"
        }
        guard let headers = AMQPProperties(headers: properties.headers).wire(limit: 1 << 20) else {
            return "headers can't be written alone"
        }
        // The wire form also contains the flags and the delivery mode.
        if !properties.headers.isEmpty, headers.count - 3 > properties.headers.wireSize {
            return "headers of \(headers.count - 3) bytes count as \(properties.headers.wireSize)"
        }
        return nil
    }

    private static func violation(of inbound: InboundJob) -> String? {
        if inbound.attempt < 1 { return "attempt \(inbound.attempt)" }
        let first = inbound.firstAttempt(now: now)
        if first > now || first.milliseconds < 0 { return "first attempt at \(first)" }
        if inbound.earlierDeliveries < 0 { return "\(inbound.earlierDeliveries) deliveries" }
        if let trace = inbound.traceparent, trace.utf8.count > 255 { return "a trace of \(trace.utf8.count) bytes" }
        if let state = inbound.trace?.tracestate, !(1...512).contains(state.utf8.count) {
            return "a trace state of \(state.utf8.count) bytes"
        }
        let headers = inbound.delivery.properties.headers
        let user = inbound.delivery.properties.userID
        if let publisher = inbound.publisher(worker: "worker"), user != "worker", publisher != user {
            return "a user other than a worker names another publisher"
        }
        let isSaid = inbound.delivery.isRedelivered || headers[JobHeader.redelivered] == .boolean(true)
        if inbound.wasSentBefore, !isSaid, inbound.drop == nil {
            return "wasSentBefore is true without a mark"
        }
        return nil
    }

    private static func violationOfWhatIsMade(of inbound: InboundJob) -> String? {
        var messages = OutboundMessages(names: PipelineNames(), worker: "push-7", user: "worker")
        let destinations: [OutboundMessages.Destination] = [.returned, .waiting(3), .suspects, .delay(seconds: 5)]
        let made =
            [messages.dead(inbound, reason: String(repeating: "€", count: 5_000))]
            + destinations.map { messages.moved(inbound, to: $0, firstAttempt: now, part: "part") }
        for message in made {
            if message.properties.userID != "worker" { return "published with another user id" }
            if message.properties.publisher(worker: "worker") != inbound.publisher(worker: "worker") {
                return "the publisher changes"
            }
        }
        for message in made.dropFirst() {
            let headers = message.properties.headers
            if headers["x-delivery-count"] != nil || headers["x-death"] != nil { return "the broker's marks are kept" }
            if headers["mine"] != nil || message.properties.priority != nil { return "an unlisted property is kept" }
            guard let again = InboundJob(delivery(message, for: inbound)) else { return "the message is unreadable" }
            if again.attempt != inbound.attempt { return "attempt \(inbound.attempt) becomes \(again.attempt)" }
            if inbound.wasSentBefore, !again.wasSentBefore { return "the mark of an earlier send is lost" }
        }
        for message in made {
            let size = message.properties.headers.wireSize
            if size > smallestRoom { return "headers of \(size) bytes exceed a frame" }
        }
        return nil
    }

    private static func delivery(_ message: AMQPPublication, for inbound: InboundJob) -> AMQPDelivery {
        AMQPDelivery(
            tag: inbound.delivery.tag, isRedelivered: false, exchange: "", routingKey: message.routingKey,
            properties: message.properties, body: message.body)
    }

    private static func depth(of table: AMQPFieldTable) -> Int {
        1 + (table.entries.map { depth(of: $0.value) }.max() ?? 0)
    }

    private static func depth(of value: AMQPFieldValue) -> Int {
        switch value {
        case .table(let table): depth(of: table)
        case .array(let values): 1 + (values.map(depth).max() ?? 0)
        default: 0
        }
    }
}
