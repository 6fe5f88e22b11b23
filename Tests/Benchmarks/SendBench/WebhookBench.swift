import Foundations
import ArgumentParser
import Logging
import NIOCore
import NIOHTTP1
import NIOPosix
import PushModel
import Store
import WebhookOutput

/// A benchmark of the webhook output alone. The receiver in this process reports each recipient as sent.
struct Webhook: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Send batches over HTTP/1.1 without TLS, and print the rate as JSON.")

    @Option(help: "The number of recipients.")
    var count = 500_000

    @Option(help: "The number of recipients of a job.")
    var size = 1_000

    func run() async throws {
        let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup(numberOfThreads: 1))
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(StandInReceiver())
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        var configuration = WebhookConfiguration()
        let port = server.localAddress?.port ?? 0
        configuration.privateHosts = [Endpoint(host: "127.0.0.1", port: port)]
        let output = WebhookSender(
            name: "webhook", configuration: configuration, eventLoops: MultiThreadedEventLoopGroup(numberOfThreads: 1),
            context: OutputContext(
                settings: OutputSettings([]), tokens: LocalTokenStore(clock: { .now }), clock: { .now },
                logger: Logger(label: "bench")))
        let credential = Credential(
            id: "bench", output: "webhook",
            kind: .secret(
                try WebhookTarget(
                    url: "http://127.0.0.1:\(port)/", secrets: [.random()]
                ).json), account: "bench", environments: [.production])
        let jobs = try stride(from: 0, to: count, by: size).map { first in
            try job(first: first, size: min(size, count - first), credential)
        }
        let sink = CountingSink(count: count)
        let started = ContinuousClock.now
        for job in jobs { output.send(job, reportingTo: sink) }
        await sink.wait()
        let seconds = (ContinuousClock.now - started) / .seconds(1)
        await output.shutDown()
        guard sink.sent == count else { throw ValidationError("only \(sink.sent) of \(count) were accepted") }
        print("{\"recipients_per_second\": \(Double(count) / seconds), \"seconds\": \(seconds)}")
    }

    private func job(first: Int, size: Int, _ credential: Credential) throws -> RoutedJob {
        let tokens = (first..<first + size).map { "\"+49 151 \($0)\"" }.joined(separator: ",")
        let body = #"{"id":"bench","app":"bench","output":"webhook","recipients":[\#(tokens)],"payload":"Hi there"}"#
        return RoutedJob(
            job: try JobDecoder.decode(Array(body.utf8), makeID: { "bench" }), environment: .production,
            credential: credential, lane: .normal, attempt: 1, redelivered: false, ledgerID: 0)
    }
}

/// A handler for one connection to the receiver. It counts the recipients in a request and reports each as sent.
private final class StandInReceiver: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private static let recipient = Array(#"{"i":"#.utf8)
    private var body: [UInt8] = []

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head: body = []
        case .body(let bytes): body += bytes.readableBytesView
        case .end: answer(context)
        }
    }

    private func answer(_ context: ChannelHandlerContext) {
        var text = Array(#"{"outcomes":["#.utf8)
        for place in 0..<recipients {
            if place > 0 { text.append(UInt8(ascii: ",")) }
            text += #"{"kind":"sent","i":"#.utf8
            text += String(place).utf8
            text.append(UInt8(ascii: "}"))
        }
        text += "]}".utf8
        let fields = HTTPHeaders([("content-type", "application/json"), ("content-length", String(text.count))])
        context.write(
            wrapOutboundOut(.head(HTTPResponseHead(version: .http1_1, status: .ok, headers: fields))), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: text)))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }

    private var recipients: Int {
        body.indices.count { body[$0] == Self.recipient[0] && body[$0...].starts(with: Self.recipient) }
    }
}
