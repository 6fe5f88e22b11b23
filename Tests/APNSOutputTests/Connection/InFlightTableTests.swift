import APNSOutput
import PushModel
import PushTestSupport
import Testing

@Suite struct InFlightTableTests {
    @Test func tagsFindPushes() throws {
        var table = InFlightTable()
        #expect(table.isEmpty)
        for stream in [1, 3, 5] as [Int32] {
            #expect(table.nextTag == Int(stream) / 2)
            table.insert(try .sample(stream: stream))
        }
        #expect(table.count == 3)
        let removed = table.remove(1)
        #expect(removed?.streamID == 3)
        let again = table.remove(1)
        #expect(again?.streamID == nil, "only once")
        #expect(table.count == 2)
    }

    @Test func aTagUsedAgainIsNotAnEarlierStreams() throws {
        var table = InFlightTable()
        table.insert(try .sample(stream: 1))
        _ = table.remove(0)
        table.insert(try .sample(stream: 3))
        let early = table.remove(0, stream: 1)
        #expect(early?.streamID == nil)
        let right = table.remove(0, stream: 3)
        #expect(right?.streamID == 3)
        #expect(table.remove(0, stream: 3)?.streamID == nil)
    }

    @Test func nothingIsKeptOfABodyThatIsTooLong() throws {
        var push = try InFlightPush.sample(stream: 1)
        let piece = [UInt8](repeating: 0x7b, count: 4096)
        #expect(piece.withUnsafeBytes { push.append($0) })
        #expect(push.body.count == 4096)
        #expect(!piece.withUnsafeBytes { push.append(UnsafeRawBufferPointer(rebasing: $0[..<1])) })
        #expect(push.body.isEmpty)
    }

    @Test(arguments: [-1, 0, 7, .max])
    func unknownTagsFindNothing(tag: Int) {
        var table = InFlightTable()
        let removed = table.remove(tag)
        #expect(removed?.streamID == nil)
        table.update(tag) { _ in Issue.record("there is nothing to update") }
        #expect(table.isEmpty)
    }

    @Test func updatesStay() throws {
        var table = InFlightTable()
        table.insert(try .sample(stream: 1))
        table.insert(try .sample(stream: 3))
        table.update(1) { push in
            push.status = 410
            push.withExtras { $0.body += [1] }
            push.withExtras { $0.body += [2] }
        }
        let untouched = table.remove(0)
        #expect(untouched?.status == 0)
        #expect(untouched?.body == [])
        let updated = table.remove(1)
        #expect(updated?.status == 410)
        #expect(updated?.body == [1, 2])
    }

    @Test func placesAreUsedAgain() throws {
        var table = InFlightTable()
        var generator = SeededGenerator(seed: 9)
        var expected: [Int: Int32] = [:]
        for stream in Int32(1)...5000 {
            let tag = table.nextTag
            #expect(expected[tag] == nil, "tag \(tag) is in use")
            #expect(tag < 50, "the table grows beyond what is in flight")
            table.insert(try .sample(stream: stream))
            expected[tag] = stream
            while expected.count == 50 || (!expected.isEmpty && Bool.random(using: &generator)) {
                guard let tag = expected.keys.sorted().randomElement(using: &generator) else { break }
                let removed = table.remove(tag)
                #expect(removed?.streamID == expected.removeValue(forKey: tag))
            }
            #expect(table.count == expected.count)
        }
    }

    @Test func removeAllGivesWhatIsLeft() throws {
        var table = InFlightTable()
        for stream in [1, 3, 5] as [Int32] { table.insert(try .sample(stream: stream)) }
        _ = table.remove(0)
        let left = table.removeAll()
        #expect(left.map(\.streamID) == [3, 5])
        #expect(table.isEmpty)
        #expect(table.nextTag == 0)
    }

    @Test func overdueAreThoseSentBefore() throws {
        var table = InFlightTable()
        for (stream, sentAt) in [(1, 100), (3, 200), (5, 300)] as [(Int32, Int64)] {
            table.insert(try .sample(stream: stream, sentAt: sentAt))
        }
        #expect(table.giveUp(sentBefore: 200) == [1])
        #expect(table.giveUp(sentBefore: 201) == [3], "each is named once")
        #expect(table.remove(0)?.isGivenUp == true)
        #expect(table.giveUp(sentBefore: 1000) == [5])
    }
}
