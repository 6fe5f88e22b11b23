import PushModel

/// What has been heard so far of a push on the wire.
struct InFlightPush {
    let push: QueuedPush
    let streamID: Int32
    let sentAt: Timestamp
    var status = 0
    var providerID: ProviderID?
    var uniqueID: String?
    var body: [UInt8] = []
}

/// The pushes on the wire of one connection, found by the tag their request was submitted with. Places are
/// used again, so the table stops growing at the stream limit.
struct InFlightTable {
    private var places: ContiguousArray<InFlightPush?> = []
    private var free: ContiguousArray<Int> = []

    var count: Int { places.count - free.count }
    var isEmpty: Bool { count == 0 }

    /// The tag the next push will get.
    var nextTag: Int { free.last ?? places.count }

    mutating func insert(_ push: InFlightPush) {
        if let place = free.popLast() {
            places[place] = push
        } else {
            places.append(push)
        }
    }

    mutating func update(_ tag: Int, _ change: (inout InFlightPush) -> Void) {
        guard places.indices.contains(tag), places[tag] != nil else { return }
        change(&places[tag]!)  // why: the line above has looked
    }

    mutating func remove(_ tag: Int) -> InFlightPush? {
        guard places.indices.contains(tag), let push = places[tag] else { return nil }
        places[tag] = nil
        free.append(tag)
        return push
    }

    mutating func removeAll() -> [InFlightPush] {
        defer {
            places.removeAll()
            free.removeAll()
        }
        return places.compactMap { $0 }
    }

    /// The streams of pushes sent before `moment`.
    func streams(sentBefore moment: Timestamp) -> [Int32] {
        places.compactMap { $0 }.filter { $0.sentAt < moment }.map(\.streamID)
    }
}
