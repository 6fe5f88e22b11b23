import APNSOutput
import APNSSimulator
import HTTP2Session
import NIOCore
import PushTestSupport
import TestSupport
import Testing
import Threading

/// GOAWAY by RFC 9113, section 6.8, over TLS.
@Suite struct GoAwayTests {
    @Test(arguments: [false, true])
    func theReplacementComesFirstAndOnlyWhatWasNotProcessedIsSentAgain(twoSteps: Bool) async throws {
        let simulator = try await WireFixture.startedSimulator()
        // A connection that is on its way out does not count.
        let fixture = WireFixture([try .init(ipAddress: "127.0.0.1", port: simulator.port)], maximumConnections: 1)
        try fixture.register(at: simulator)
        try fixture.send(to: WireFixture.tokens(1, "0a"))
        await fixture.recorder.wait(for: 1, atMost: .seconds(60))
        let slow = WireFixture.tokens(10, "de1ade1a9000")
        try fixture.send(to: slow)
        try await eventually("ten on the wire") { await simulator.counters().arrivals == 11 }
        // Streams 1 to 11: the first push and five of the slow ones.
        await simulator.sendGoAway(GoAwayFault(lastStreamID: 11, reason: "Shutdown", announcesFirst: twoSteps))
        // One at first, because the token must prove itself anew.
        try await eventually("the first of five sent again, while the old connection waits for its answers") {
            let counters = await simulator.counters()
            return counters.arrivals == 12 && counters.openConnections == 2
        }
        await fixture.recorder.wait(for: 11, atMost: .seconds(60))
        #expect(fixture.tally == ["sent": 11])
        #expect(await simulator.counters().arrivals == 16)
        let processed = simulator.recordedArrivals
        #expect(slow.map { processed[$0] } == Array(repeating: 1, count: 10))
        try await eventually("the old one closed") { await simulator.counters().openConnections == 1 }
        #expect(await simulator.counters().connections == 2)
        await fixture.output.shutDown()
        await simulator.stop()
    }

    @Test func aServerThatAnswersOnceAndLeavesIsNotBesieged() async throws {
        let attempts = Mutex(0)
        let server = TestServer { connection in
            let number = attempts.withLock { attempts in
                attempts += 1
                return attempts
            }
            connection.leavesAfterFirst = number <= 10
        }
        let address = try await server.start()
        let fixture = WireFixture([address], maximumConnections: 1)
        let start = ContinuousClock.now
        try fixture.send(to: WireFixture.tokens(20))
        await fixture.recorder.wait(for: 20, atMost: .seconds(60))
        // Eight at once, the ninth to the eleventh a second apart.
        #expect(ContinuousClock.now - start >= .milliseconds(2_900))
        #expect(attempts.withLock { $0 } == 11)
        #expect(fixture.tally == ["sent": 20])
        await fixture.output.shutDown()
        try await server.stop()
    }

    @Test func aServerThatTurnsEveryConnectionAwayIsNotChurned() async throws {
        let attempts = Mutex(0)
        let server = TestServer { connection in
            let number = attempts.withLock { attempts in
                attempts += 1
                return attempts
            }
            connection.turnsAway = number < 4
        }
        let address = try await server.start()
        let fixture = WireFixture([address])
        try fixture.send(to: WireFixture.tokens(1))
        let start = ContinuousClock.now
        await fixture.recorder.wait(for: 1, atMost: .seconds(60))
        // At the least a tenth of one second, of two and of four.
        #expect(ContinuousClock.now - start >= .milliseconds(700))
        #expect(fixture.tally == ["sent": 1])
        #expect(attempts.withLock { $0 } == 4)
        await fixture.output.shutDown()
        try await server.stop()
    }
}
