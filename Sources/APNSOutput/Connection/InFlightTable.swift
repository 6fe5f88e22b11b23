package import PushModel

/// What has been heard so far of a push on the wire.
package struct InFlightPush {
    package let push: QueuedPush
    package let streamID: Int32
    /// Uptime in milliseconds.
    package let sentAt: Int64
    package var status = 0
    /// We have reset the stream ourselves, because no answer came in time.
    package fileprivate(set) var isGivenUp = false
    package var providerID: ProviderID?
    /// What only some answers have, kept apart so that the others stay small.
    private var extras: AnswerExtras?

    package init(push: QueuedPush, streamID: Int32, sentAt: Int64) {
        self.push = push
        self.streamID = streamID
        self.sentAt = sentAt
    }

    package var uniqueID: String? { extras?.uniqueID }
    package var body: [UInt8] { extras?.body ?? [] }
    package var retryAfterSeconds: Int32 { extras?.retryAfterSeconds ?? 0 }

    /// A refusal is a short JSON object; what is longer than this is not one.
    package static let maximumBodyBytes = 4096

    /// Keeps a piece of the body. False: it is too long to be a refusal, and nothing of it is kept.
    package mutating func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard body.count + bytes.count <= Self.maximumBodyBytes else {
            extras?.body = []
            return false
        }
        withExtras { $0.body.append(contentsOf: bytes) }
        return true
    }

    /// Lets an optional one be changed in place.
    fileprivate mutating func apply(_ change: (inout Self) -> Void) { change(&self) }

    package mutating func withExtras(_ change: (AnswerExtras) -> Void) {
        let extras = extras ?? AnswerExtras()
        change(extras)
        self.extras = extras
    }
}

/// The body of a refusal, and the sandbox's `apns-unique-id`.
package final class AnswerExtras {
    /// Apple documents no such field; but if it comes, it is meant.
    package var retryAfterSeconds: Int32 = 0
    package var uniqueID: String?
    package var body: [UInt8] = []
}

/// The pushes on the wire of one connection, found by the tag their request was submitted with. Places are
/// used again, so the table stops growing at the stream limit.
package struct InFlightTable {
    private var places: ContiguousArray<InFlightPush?> = []
    private var free: ContiguousArray<Int> = []

    package init() {}

    package var count: Int { places.count - free.count }
    package var isEmpty: Bool { count == 0 }

    package var pushes: [InFlightPush] { places.compactMap { $0 } }

    /// The tag the next push will get.
    package var nextTag: Int { free.last ?? places.count }

    package mutating func insert(_ push: consuming InFlightPush) {
        if let place = free.popLast() {
            places[place] = push
        } else {
            places.append(push)
        }
    }

    package mutating func update(_ tag: Int, _ change: (inout InFlightPush) -> Void) {
        guard places.indices.contains(tag) else { return }
        places[tag]?.apply(change)
    }

    package mutating func remove(_ tag: Int) -> InFlightPush? {
        guard places.indices.contains(tag), let push = places[tag].take() else { return nil }
        free.append(tag)
        return push
    }

    /// Only if the push under this tag went out on this stream: a tag is used again once its push is answered,
    /// and the stream of a push that was answered early closes later.
    package mutating func remove(_ tag: Int, stream: Int32) -> InFlightPush? {
        guard places.indices.contains(tag), places[tag]?.streamID == stream else { return nil }
        return remove(tag)
    }

    package mutating func removeAll() -> [InFlightPush] {
        defer {
            places.removeAll()
            free.removeAll()
        }
        return pushes
    }

    /// Marks the pushes sent before `uptime` as given up; the answer is their streams, each named once.
    package mutating func giveUp(sentBefore uptime: Int64) -> [Int32] {
        var streams: [Int32] = []
        for place in places.indices {
            guard let push = places[place], push.sentAt < uptime, !push.isGivenUp else { continue }
            streams.append(push.streamID)
            places[place]?.apply { $0.isGivenUp = true }
        }
        return streams
    }
}
