import HTTP2Pool
import TestSupport
import Testing

@Suite struct InFlightTableTests {
    @Test func removesRequestsByPlace() throws {
        var table = InFlightTable()
        #expect(table.isEmpty)
        for stream in [1, 3, 5] as [Int32] {
            #expect(table.nextPlace == Int(stream) / 2)
            table.insert(.sample(stream: stream))
        }
        #expect(table.count == 3)
        let removed = table.remove(1)
        #expect(removed?.streamID == 3)
        let again = table.remove(1)
        #expect(again?.streamID == nil, "a request can be removed only once")
        #expect(table.count == 2)
    }

    @Test func ignoresEarlierStreamOfReusedPlace() throws {
        var table = InFlightTable()
        table.insert(.sample(stream: 1))
        _ = table.remove(0)
        table.insert(.sample(stream: 3))
        let early = table.remove(0, stream: 1)
        #expect(early?.streamID == nil)
        let right = table.remove(0, stream: 3)
        #expect(right?.streamID == 3)
        #expect(table.remove(0, stream: 3)?.streamID == nil)
    }

    @Test func keepsBeginningOfOversizedBody() {
        var request = InFlightRequest.sample(stream: 1)
        func append(_ byte: UInt8, _ count: Int) {
            [UInt8](repeating: byte, count: count).withUnsafeBytes { request.append($0, maximum: 4096) }
        }
        append(1, 4000)
        append(2, 96)
        #expect(request.body.count == 4096 && !request.isTooLong)
        append(3, 1)
        append(4, 5000)
        #expect(request.body == [UInt8](repeating: 1, count: 4000) + [UInt8](repeating: 2, count: 96))
        #expect(request.isTooLong)
    }

    @Test func keepsBeginningOfOversizedFirstPiece() {
        var request = InFlightRequest.sample(stream: 1)
        ([1, 2, 3, 4] as [UInt8]).withUnsafeBytes { request.append($0, maximum: 3) }
        #expect(request.body.count == 3 && request.isTooLong)
    }

    @Test(arguments: [-1, 0, 7, .max])
    func ignoresUnknownPlaces(place: Int) {
        var table = InFlightTable()
        let removed = table.remove(place)
        #expect(removed?.streamID == nil)
        table.update(place) { $0.status = 200 }
        #expect(table[place]?.status == nil)
        #expect(table.isEmpty)
    }

    @Test func keepsUpdatesOfRequests() throws {
        var table = InFlightTable()
        table.insert(.sample(stream: 1))
        table.insert(.sample(stream: 3))
        table.update(1) { $0.status = 410 }
        for byte in [1, 2] as [UInt8] {
            withUnsafeBytes(of: byte) { bytes in table.update(1) { $0.append(bytes, maximum: 4096) } }
        }
        let untouched = table.remove(0)
        #expect(untouched?.status == 0)
        #expect(untouched?.body == [])
        let updated = table.remove(1)
        #expect(updated?.status == 410)
        #expect(updated?.body == [1, 2])
    }

    @Test func reusesPlaces() throws {
        var table = InFlightTable()
        var generator = SplitMix64(seed: 9)
        var expected: [Int: Int32] = [:]
        for stream in Int32(1)...5000 {
            let place = table.nextPlace
            #expect(expected[place] == nil, "place \(place) is already in use")
            #expect(place < 50, "the table must not grow beyond the requests in flight")
            table.insert(.sample(stream: stream))
            expected[place] = stream
            while expected.count == 50 || (!expected.isEmpty && Bool.random(using: &generator)) {
                guard let place = expected.keys.sorted().randomElement(using: &generator) else { break }
                let removed = table.remove(place)
                #expect(removed?.streamID == expected.removeValue(forKey: place))
            }
            #expect(table.count == expected.count)
        }
    }

    @Test func returnsRemainingRequestsOnRemoveAll() throws {
        var table = InFlightTable()
        for stream in [1, 3, 5] as [Int32] { table.insert(.sample(stream: stream)) }
        _ = table.remove(0)
        let left = table.removeAll()
        #expect(left.map(\.streamID) == [3, 5])
        #expect(table.isEmpty)
        #expect(table.nextPlace == 0)
    }

    @Test func givesUpRequestsSentBeforeLimit() throws {
        var table = InFlightTable()
        for (stream, sentAt) in [(1, 100), (3, 200), (5, 300)] as [(Int32, Int64)] {
            table.insert(.sample(stream: stream, sentAt: sentAt))
        }
        #expect(table.giveUp(sentBefore: 200) == [1])
        #expect(table.giveUp(sentBefore: 201) == [3], "each overdue request is returned once")
        #expect(table.remove(0)?.isGivenUp == true)
        #expect(table.giveUp(sentBefore: 1000) == [5])
    }
}

extension InFlightRequest {
    fileprivate static func sample(stream: Int32, sentAt milliseconds: Int64 = 0) -> InFlightRequest {
        InFlightRequest(tag: Int(stream), streamID: stream, sentAt: milliseconds)
    }
}
