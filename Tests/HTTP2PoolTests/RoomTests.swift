import HTTP2Pool
import Testing

@Suite struct RoomTests {
    /// Returns how many bodies of this size fit into the room.
    private func taken(_ room: Room, bodyBytes: Int) -> Int {
        var room = room
        var count = 0
        while !room.isEmpty {
            room.take(bodyBytes: bodyBytes)
            count += 1
        }
        return count
    }

    @Test(
        arguments: [
            (1000, 65_535, 300, 219), (1000, 65_535, 4096, 16), (1000, 65_535, 70_000, 1), (5, 65_535, 300, 5),
            (0, 65_535, 1, 0), (1000, 0, 1, 0), (1000, 1, 4096, 1), (1000, 300, 300, 1), (1000, 301, 300, 2),
        ])
    func endsWhenStreamsOrBytesAreUsedUp(streams: Int, bytes: Int, body: Int, count: Int) {
        #expect(taken(Room(streams: streams, bytes: bytes), bodyBytes: body) == count)
    }

    @Test func treatsRoomNoneAsEmpty() {
        #expect(Room.none.isEmpty)
        #expect(!Room(streams: 1, bytes: 1).isEmpty)
    }
}

@Suite struct RoundTripTimeTests {
    @Test func followsShorterTimesAtOnceAndLongerTimesSlowly() {
        var time = RoundTripTime()
        #expect(time.milliseconds == nil)
        let samples = [40.0, 20, 100, 10, -1]
        let smoothed = samples.map { sample in
            time.measured(milliseconds: sample)
            return time.milliseconds
        }
        #expect(smoothed == [40, 20, 30, 10, 0])
    }
}
