package import PushModel

/// The part of a request that is the same for every recipient of a job. The initialiser checks what can be checked
/// before sending. A failed check throws a ``Fault`` with the reason that APNs would return.
///
/// A broadcast (Apple: "Sending broadcast push notification requests to APNs") names a channel instead of a topic. It
/// requires an expiration and a priority, and may be as long as a VoIP push.
package struct APNSRequest: Equatable, Sendable {
    package struct Fault: Error, Equatable {
        package let reason: String
        /// An explanation for publishers, or `nil` if the reason is sufficient.
        package let detail: String?

        package init(reason: String, detail: String? = nil) {
            self.reason = reason
            self.detail = detail
        }
    }

    /// The topic that the credential must cover. A broadcast has the app here, and sends no topic.
    package let topic: String
    /// The channel id of a broadcast, or `nil` for pushes to devices.
    package let channelID: String?
    package let pushType: APNSPushType
    package let priority: Int
    /// The value of `apns-expiration`, in seconds since 1970, or `nil` to omit the header field. An omitted field
    /// and 0 have different effects.
    package let expiration: Int64?
    package let collapseID: String?
    /// The maximum size of the JSON body, in bytes.
    package let maximumPayloadBytes: Int

    package init(for job: Job) throws(Fault) {
        let facts = Self.facts(of: job)
        let pushType = try Self.pushType(of: job, facts)
        self.pushType = pushType
        priority = job.priority ?? pushType.defaultPriority
        expiration = Self.expiration(of: job, pushType)
        collapseID = job.collapseID
        if job.isBroadcast {
            channelID = try Self.channelID(of: job)
            topic = job.app
            maximumPayloadBytes = Self.maximumBroadcastBytes
            try Self.checkBroadcast(to: topic, facts)
        } else {
            channelID = nil
            topic = job.topic ?? pushType.topic(of: job.app)
            maximumPayloadBytes = pushType.maximumPayloadBytes
            try checkDevicePush()
        }
    }

    private static let maximumBroadcastBytes = 5_120
    /// The maximum length of a channel id. Apple documents no limit.
    private static let maximumChannelIDBytes = 255

    /// Returns the properties of the payload that the checks need, or `nil` if they need none.
    private static func facts(of job: Job) -> PayloadProperties? {
        guard job.pushType == nil || job.isBroadcast else { return nil }
        return job.withBytes { PayloadProperties(of: UnsafeBufferPointer(rebasing: $0[job.payload])) }
    }

    private static func pushType(of job: Job, _ facts: PayloadProperties?) throws(Fault) -> APNSPushType {
        if job.pushType == nil, !job.isBroadcast, facts?.inferredPushType == nil {
            let payload =
                facts?.hasAps == true ? "the payload's aps does not imply one" : "the payload has no aps"
            throw Fault(reason: "InvalidPushType", detail: "the job has no push_type, and \(payload)")
        }
        let inferred: APNSPushType? = job.isBroadcast ? .liveactivity : facts?.inferredPushType
        guard let type = job.pushType.map(APNSPushType.init(rawValue:)) ?? inferred,
            type == .liveactivity || !job.isBroadcast
        else { throw Fault(reason: "InvalidPushType") }
        return type
    }

    private static func expiration(of job: Job, _ pushType: APNSPushType) -> Int64? {
        switch job.expiration {
        case .nowOrNever: 0
        case .at(let deadline): deadline.seconds
        // A broadcast requires the header, and a channel without storage accepts only 0.
        case nil: pushType.mustNotBeStored || job.isBroadcast ? 0 : nil
        }
    }

    private func checkDevicePush() throws(Fault) {
        guard topic.hasSuffix(pushType.topicSuffix), topic.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw Fault(reason: "BadTopic")
        }
        guard pushType.allowedPriorities.contains(priority) else { throw Fault(reason: "BadPriority") }
        if pushType.mustNotBeStored, expiration != 0 { throw Fault(reason: "BadExpirationDate") }
        if let collapseID, !collapseID.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) {
            throw Fault(reason: "BadCollapseId")
        }
    }

    /// Returns the channel id, which is base64 text and is sent unchanged. An id that a header field cannot carry is
    /// rejected.
    private static func channelID(of job: Job) throws(Fault) -> String {
        let id = job.recipients.first.map { String(decoding: job.bytes($0.token), as: UTF8.self) } ?? ""
        guard !id.isEmpty, id.utf8.count <= maximumChannelIDBytes, id.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else {
            throw Fault(reason: "BadChannelId")
        }
        return id
    }

    /// Checks a broadcast. The app is part of the request path, so a path must be able to contain it. A broadcast can
    /// update or end a Live Activity, but not start one.
    private static func checkBroadcast(to app: String, _ facts: PayloadProperties?) throws(Fault) {
        guard BroadcastPath.canHold(app) else { throw Fault(reason: "BadTopic") }
        if facts?.liveActivityEvent == .start { throw Fault(reason: "BadRequestPayload") }
    }

    /// Returns the fault of a body that is too large, or `nil` if its size is allowed. Recipients with their own
    /// payload need this check for each body.
    package func fault(ofPayloadBytes count: Int) -> Fault? {
        count > maximumPayloadBytes ? Fault(reason: "PayloadTooLarge") : nil
    }
}

extension APNSRequest {
    /// The topic for `PoolHealth`. Pushes of this job are held if APNs refuses this topic. Broadcasts have a separate
    /// topic, because APNs may forbid an app's broadcasts and accept its pushes.
    var healthTopic: String { channelID == nil ? topic : "\(topic) (broadcasts)" }
}
