import Foundations
import HTTPServing
import NIOCore
import NIOEmbedded
import Testing

@Suite struct OpenConnectionsTests {
    /// The stages of three connections, oldest first, and their age in milliseconds when a fourth one opens that is one
    /// too many.
    @Test(
        arguments: [
            ([.waitsForRequest, .answered, .answered], 0, 1), ([.waitsForRequest, .answered, .answered], 1_000, 1),
            ([.waitsForAnswer, .waitsForRequest, .receivesBody], 249, 0),
            ([.waitsForAnswer, .waitsForRequest, .receivesBody], 250, 1),
            ([.waitsForAnswer, .sends, .waitsForRequest], 250, 1),
            ([.waitsForAnswer, .waitsForAnswer, .waitsForAnswer], 1_000, 0),
        ] as [([OpenConnections.Stage], Int64, Int)])
    func closesConnectionWhoseClientLosesLeast(stages: [OpenConnections.Stage], age: Int64, closed: Int) {
        let connections = OpenConnections(most: 3)
        let channels = (0..<4).map { _ in EmbeddedChannel() }
        let found = Mutex<[Int]>([])
        for (number, channel) in channels.enumerated() {
            channel.closeFuture.whenComplete { _ in found.withLock { $0.append(number) } }
        }
        let start = NIODeadline.now()
        for (channel, stage) in zip(channels, stages) {
            connections.opened(channel, at: start)
            connections.reached(stage, channel)
        }
        connections.opened(channels[3], at: start + .milliseconds(age))
        for channel in channels { channel.embeddedEventLoop.run() }
        #expect(found.withLock { $0 } == [closed])
    }

    @Test func closesNewConnectionsAfterEnd() async {
        let connections = OpenConnections(most: 3)
        await connections.end(within: .seconds(600))
        let channel = EmbeddedChannel()
        let isClosed = Mutex(false)
        channel.closeFuture.whenComplete { _ in isClosed.withLock { $0 = true } }
        connections.opened(channel)
        channel.embeddedEventLoop.run()
        #expect(isClosed.withLock { $0 })
    }
}
