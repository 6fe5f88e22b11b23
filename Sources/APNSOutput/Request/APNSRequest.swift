package import PushModel

/// The part of a request that is the same for every device of a job, after the checks that can be made
/// before sending. A fault carries the reason APNs itself would give.
package struct APNSRequest: Equatable, Sendable {
    package struct Fault: Error, Equatable {
        package let reason: String

        package init(reason: String) {
            self.reason = reason
        }
    }

    package let topic: String
    package let pushType: APNSPushType
    package let priority: Int
    /// Value of `apns-expiration`; nil leaves the header out, which is not the same as 0.
    package let expiration: Int64?
    package let collapseID: String?

    package init(for job: Job) throws(Fault) {
        guard let pushType = Self.pushType(of: job) else { throw Fault(reason: "InvalidPushType") }
        self.pushType = pushType
        topic = job.topic ?? job.app + pushType.topicSuffix
        guard topic.hasSuffix(pushType.topicSuffix), topic.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw Fault(reason: "BadTopic")
        }
        priority = job.priority ?? pushType.defaultPriority
        if pushType == .background, priority != 5 { throw Fault(reason: "BadPriority") }
        switch job.expiration {
        case .nowOrNever: expiration = 0
        case .at(let deadline): expiration = deadline.seconds
        case nil: expiration = pushType.mustNotBeStored ? 0 : nil
        }
        if pushType.mustNotBeStored, expiration != 0 { throw Fault(reason: "BadExpirationDate") }
        if let id = job.collapseID, !id.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) {
            throw Fault(reason: "BadCollapseId")
        }
        collapseID = job.collapseID
    }

    private static func pushType(of job: Job) -> APNSPushType? {
        if let name = job.pushType { return APNSPushType(rawValue: name) }
        return job.withBytes { PayloadFacts(of: UnsafeBufferPointer(rebasing: $0[job.payload])).inferredPushType }
    }

    /// Checks one body's size, which is per recipient where a recipient has its own payload.
    package func fault(ofPayloadBytes count: Int) -> Fault? {
        count > pushType.maximumPayloadBytes ? Fault(reason: "PayloadTooLarge") : nil
    }
}
