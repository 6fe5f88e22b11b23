package import PushModel
import PushSending

/// What the requests of a job have in common, whatever service they go to.
package struct WebPushRequest: Hashable, Sendable {
    /// What services store for at least, in one day's time or another: 28 days.
    package static let maximumTTL: Int64 = 2_419_200

    /// The push type of a job whose payload is a notification itself (WebKit's Declarative Web Push).
    private static let declarative = "declarative"

    package let expiration: Job.Expiration?
    /// Nil: `normal`, which goes without saying.
    package let urgency: String?
    package let topic: String?
    package let isDeclarative: Bool
    private let defaultTTL: Int64

    /// - Parameter defaultTTL: in seconds, of a job that says no deadline.
    package init(for job: Job, defaultTTL: Int64) throws(WebPushFault) {
        guard job.pushType == nil || job.pushType == Self.declarative else { throw .badPushType }
        expiration = job.expiration
        urgency = Self.urgency(job.priority)
        topic = job.collapseID.map { TopicField.value(collapseID: $0, app: job.app) }
        isDeclarative = job.pushType != nil
        self.defaultTTL = defaultTTL
    }

    private init(expiration: Job.Expiration) {
        self.expiration = expiration
        (urgency, topic, isDeclarative, defaultTTL) = (nil, nil, false, 0)
    }

    /// A message that finds its browser awake, or nobody.
    static let nowOrNever = WebPushRequest(expiration: .nowOrNever)

    private static func urgency(_ priority: Int?) -> String? {
        switch priority {
        case 10: "high"
        case 1: "low"
        default: nil
        }
    }

    /// Seconds that a service may keep a message for, if it goes there now.
    package func ttl(at now: Timestamp, to service: PushService) -> Int64 {
        switch expiration {
        case .at(let deadline): min(max(1, deadline.seconds - now.seconds), Self.maximumTTL)
        // Apple's page wants a positive number; nobody has seen what it does with 0.
        case .nowOrNever: service == .apple ? 1 : 0
        case nil: defaultTTL
        }
    }

    package var contentType: String { isDeclarative ? "application/notification+json" : "application/octet-stream" }
}
