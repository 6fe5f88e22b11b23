import NIOCore
import NIOSSL
import Foundations

/// A connection of a ``ScriptedServer`` that sends bytes.
final class ScriptedBytes: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private var script: ArraySlice<ScriptedServer.Step>
    private let record: ScriptedServer.Record
    private var hasCounted = false
    private var forever: [UInt8] = []

    init(_ script: [ScriptedServer.Step], _ record: ScriptedServer.Record) {
        self.script = script[...]
        self.record = record
    }

    /// Answers the first bytes (preface and SETTINGS) with SETTINGS. The script begins when a request arrives.
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data)
        if !hasCounted {
            hasCounted = true
            record.connections.withLock { $0 += 1 }
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
    /// Closes the socket below TLS, without a close_notify alert.
    fileprivate func cut() {
        guard let tls = try? context(handlerType: NIOSSLServerHandler.self) else { return }
        tls.close(promise: nil)
    }
}
