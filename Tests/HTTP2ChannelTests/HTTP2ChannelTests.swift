import HTTP2Channel
import HTTP2Session
import NIOCore
import NIOEmbedded
import Testing

@Suite struct HTTP2ChannelTests {
    @Test func sendsFirstOutputWhenChannelIsActive() throws {
        let peer = try ChannelPeer()
        #expect(peer.flushes == 1)
        #expect(peer.written.first?.starts(with: "PRI * HTTP/2.0".utf8) == true)
    }

    @Test func writesAllRequestsOfATurnInOneFlush() throws {
        let peer = try ChannelPeer()
        try peer.exchange()
        let before = peer.flushes
        for tag in 0..<100 {
            try peer.post(tag)
            peer.handler.setNeedsFlush()
        }
        #expect(peer.flushes == before)
        peer.loop.run()
        #expect(peer.flushes == before + 1)
        #expect(peer.written.count == 1)
        try peer.exchange()
        #expect(peer.client.ended == 100)
    }

    @Test func takesNoOutputFromSessionWhileChannelIsFull() throws {
        let peer = try ChannelPeer()
        try peer.exchange()
        peer.setWritable(false)
        try peer.post(1)
        peer.handler.setNeedsFlush()
        peer.loop.run()
        #expect(peer.written.isEmpty)
        peer.setWritable(true)
        #expect(peer.written.count == 1)
        try peer.exchange()
        #expect(peer.client.ended == 1)
    }

    @Test func sendsGoAwayAndClosesChannelOnProtocolError() throws {
        let peer = try ChannelPeer()
        try peer.exchange()
        // DATA on stream 0 (RFC 9113, section 6.1).
        try peer.read([0, 0, 1, 0, 0, 0, 0, 0, 0, 42])
        let goAway = try #require(peer.written.last)
        #expect(goAway[3] == 7, "\(goAway)")
        #expect(!peer.channel.isActive)
        #expect(peer.client.closings.count == 1)
        let error = try #require(peer.client.closings.first ?? nil)
        #expect((error as? HTTP2Error)?.kind == .connection(.protocolError))
    }

    @Test func reportsLostChannelOnce() throws {
        let peer = try ChannelPeer()
        try peer.exchange()
        try peer.post(1)
        struct Broken: Error {}
        peer.channel.pipeline.fireErrorCaught(Broken())
        _ = try? peer.channel.finish()
        #expect(peer.client.closings.count == 1)
        #expect(peer.client.closings.first is Broken?)
        #expect(peer.session.delegate == nil)
        #expect(peer.handler.observer == nil)
    }

    @Test func sendsPendingOutputWhenClosedInCallback() throws {
        let peer = try ChannelPeer()
        try peer.exchange()
        peer.client.onEnd = { [session = peer.session, handler = peer.handler] in
            try? session.goAway()
            handler.close()
        }
        try peer.post(1)
        peer.handler.setNeedsFlush()
        peer.loop.run()
        try peer.exchange()
        #expect(peer.sawGoAway)
        #expect(!peer.channel.isActive)
        #expect(peer.client.closings.count == 1)
        #expect((peer.client.closings.first ?? nil) == nil)
    }

    @Test func closesChannelWhenBothSidesAreFinished() throws {
        let peer = try ChannelPeer()
        try peer.exchange()
        try peer.server.goAway(lastStreamID: 0)
        try peer.exchange()
        #expect(!peer.channel.isActive)
        #expect((peer.client.closings.first ?? nil) == nil)
    }
}
