import APNSSimulator
import Foundation
import NIOCore
import NIOPosix
import NIOSSL
import Threading

/// A TLS server that knows no HTTP/2: it sends the bytes of its script, whatever the client says.
final class ScriptedServer: Sendable {
    /// What to do with one connection. Steps wait until the client has sent a request.
    enum Step {
        case send([UInt8])
        /// The same bytes again and again until the client closes, waiting for it to read.
        case sendForever([UInt8])
        case close
        /// Without TLS's goodbye.
        case cut
    }

    let port: Int
    let authorityFile: String
    private let channel: any Channel
    private let connectionCount: Counter

    var connections: Int { connectionCount.value }

    static func start(_ script: [Step]) async throws -> ScriptedServer {
        let authority = try CertificateAuthority()
        let issued = try authority.issueServerCertificate()
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: try NIOSSLCertificate.fromPEMBytes(Array(issued.certificatePEM.utf8)).map {
                .certificate($0)
            },
            privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(issued.privateKeyPEM.utf8), format: .pem)))
        configuration.applicationProtocols = ["h2"]
        let context = try NIOSSLContext(configuration: configuration)
        let counter = Counter()
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandlers(
                        NIOSSLServerHandler(context: context), ScriptHandler(script, counter))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let file = FileManager.default.temporaryDirectory.appending(path: "authority-\(UUID().uuidString).pem").path
        try authority.certificatePEM.write(toFile: file, atomically: true, encoding: .utf8)
        return ScriptedServer(channel, port: channel.localAddress?.port ?? 0, authorityFile: file, counter)
    }

    private init(_ channel: any Channel, port: Int, authorityFile: String, _ counter: Counter) {
        self.channel = channel
        self.port = port
        self.authorityFile = authorityFile
        connectionCount = counter
    }

    func stop() async throws {
        try await channel.close()
        try FileManager.default.removeItem(atPath: authorityFile)
    }
}

final class Counter: Sendable {
    private let count = Atomic(0)
    var value: Int { count.load(ordering: .relaxed) }
    func add() { count.add(1, ordering: .relaxed) }
}

private final class ScriptHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private var script: ArraySlice<ScriptedServer.Step>
    private let counter: Counter
    private var hasCounted = false
    private var forever: [UInt8] = []

    init(_ script: [ScriptedServer.Step], _ counter: Counter) {
        self.script = script[...]
        self.counter = counter
    }

    /// The first bytes (preface, SETTINGS) are answered by SETTINGS; the script begins when a request comes.
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data)
        if !hasCounted {
            hasCounted = true
            counter.add()
            write([0, 0, 0, 4, 0, 0, 0, 0, 0], context)
        }
        // A HEADERS frame on stream 1 (RFC 9113, section 4.1).
        let begin: [UInt8] = [1, 4, 0, 0, 0, 1]
        let text = Array(bytes.readableBytesView)
        guard text.indices.contains(where: { text[$0...].starts(with: begin) }) else { return }
        while let step = script.popFirst() {
            switch step {
            case .send(let bytes): write(bytes, context)
            case .sendForever(let bytes):
                forever = bytes
                writeForever(context)
            case .close: context.close(promise: nil)
            case .cut: context.channel.pipeline.syncOperations.cut()
            }
        }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) { writeForever(context) }
    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private func writeForever(_ context: ChannelHandlerContext) {
        guard !forever.isEmpty, context.channel.isWritable, context.channel.isActive else { return }
        write(forever, context)
        let loop = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        context.eventLoop.execute { loop.value.0.writeForever(loop.value.1) }
    }

    private func write(_ bytes: [UInt8], _ context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: bytes)), promise: nil)
    }
}

extension ChannelPipeline.SynchronousOperations {
    /// Closes the socket under TLS.
    fileprivate func cut() {
        guard let tls = try? context(handlerType: NIOSSLServerHandler.self) else { return }
        tls.close(promise: nil)
    }
}
