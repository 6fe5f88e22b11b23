package import HTTP2Session
package import NIOCore

/// A handler that connects an HTTP/2 session to a channel, with or without TLS. Received bytes go to the session. The
/// session's output is sent in one flush for each turn of the event loop.
///
/// The session may be used only on the channel's event loop. Output created inside the session's callbacks is sent
/// automatically. After any other use of the session, call ``setNeedsFlush()``.
///
/// The handler retains the observer and the session until the channel is closed. The session retains its delegate.
package final class HTTP2ChannelHandler<Session: HTTP2Endpoint>: ChannelInboundHandler {
    package typealias InboundIn = ByteBuffer
    package typealias OutboundOut = ByteBuffer

    package let session: Session
    /// The observer, or `nil` after it was notified that the channel is closed.
    package var observer: (any HTTP2ChannelObserver)?
    private var context: ChannelHandlerContext?
    /// The expected size of the next write, in bytes. It follows the size of the last write, so that the buffer seldom
    /// grows.
    private var expectedOutput = 1024
    private var isReading = false
    private var isFlushing = false
    private var flushIsScheduled = false
    private var closeIsDue = false
    private var isClosing = false
    private var failure: (any Error)?

    /// The number of bytes to collect from the session before the channel's writability is checked again. If the peer
    /// is slow, output then waits in the session instead of the channel.
    private static var bytesPerWrite: Int { 128 * 1024 }

    package init(session: Session, observer: (any HTTP2ChannelObserver)? = nil) {
        self.session = session
        self.observer = observer
    }

    /// Schedules a flush of the session's pending output in the next turn of the event loop. Repeated calls are cheap.
    package func setNeedsFlush() {
        guard !isReading, !flushIsScheduled, let context else { return }
        flushIsScheduled = true
        context.eventLoop.assumeIsolated().execute {
            self.flushIsScheduled = false
            self.flush()
        }
    }

    /// Sends as much of the pending output as the channel accepts, and closes the channel. If called from inside the
    /// session's callbacks, the rest of the received bytes is still processed.
    package func close() {
        context?.eventLoop.preconditionInEventLoop()
        closeIsDue = true
        if !isReading {
            flush()
        }
    }

    // MARK: Channel events

    package func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        if context.channel.isActive {
            flush()
        }
    }

    package func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        detach()
    }

    package func channelActive(context: ChannelHandlerContext) {
        flush()
        context.fireChannelActive()
    }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isClosing else { return }
        isReading = true
        let bytes = unwrapInboundIn(data)
        do throws(HTTP2Error) {
            // Typed throws do not pass through ByteBuffer's accessor, so the error is passed as a result.
            try bytes.withUnsafeReadableBytes { pointer in
                Result { () throws(HTTP2Error) in try session.receive(pointer) }
            }.get()
        } catch {
            fail(error)
        }
    }

    package func channelReadComplete(context: ChannelHandlerContext) {
        isReading = false
        flush()
        context.fireChannelReadComplete()
    }

    package func channelWritabilityChanged(context: ChannelHandlerContext) {
        flush()
        context.fireChannelWritabilityChanged()
    }

    package func errorCaught(context: ChannelHandlerContext, error: any Error) {
        fail(error)
    }

    package func channelInactive(context: ChannelHandlerContext) {
        isClosing = true
        detach()
        context.fireChannelInactive()
    }

    // MARK: Output

    private func flush() {
        guard let context, !isFlushing, !isClosing else { return }
        isFlushing = true
        var wrote = false
        while context.channel.isWritable, session.wantsWrite || failure != nil {
            // Each write has its own buffer, because TLS keeps it. The buffer is a local variable, because a property
            // would be checked for exclusive access for each of the many small pieces of output.
            var output = context.channel.allocator.buffer(capacity: expectedOutput)
            var ended = false
            do throws(HTTP2Error) {
                try session.collectOutput(limit: Self.bytesPerWrite) { output.writeBytes($0) }
            } catch {
                failure = failure ?? error
                ended = true
            }
            let count = output.readableBytes
            if count > 0 {
                expectedOutput = max(count, expectedOutput / 2, 1024)
                context.write(wrapOutboundOut(output), promise: nil)
                wrote = true
            }
            if ended || count == 0 { break }
        }
        if wrote {
            context.flush()
        }
        isFlushing = false
        if closeIsDue || failure != nil || session.isFinished {
            beginClosing()
        }
    }

    private func fail(_ error: any Error) {
        failure = failure ?? error
        // The session's remaining output is sent first. It usually contains the GOAWAY that explains the end.
        flush()
        beginClosing()
    }

    private func beginClosing() {
        guard !isClosing else { return }
        isClosing = true
        context?.close(promise: nil)
    }

    /// Releases the delegate and the observer, and notifies the observer that the channel is closed.
    private func detach() {
        session.detachDelegate()
        let reported = observer.take()
        reported?.channelClosed(error: failure)
    }
}
