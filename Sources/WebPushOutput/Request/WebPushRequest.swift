package import PushModel
import PushSending

/// The parameters of a job's requests that are the same for all recipients.
package struct WebPushRequest: Hashable, Sendable {
    /// The maximum TTL, in seconds: 28 days. Google stores messages for this time, and Mozilla and Apple for 30 days.
    package static let maximumTTL: Int64 = 2_419_200

    /// The push type of a job whose payload is a notification itself (WebKit's Declarative Web Push).
    private static let declarative = "declarative"

    package let expiration: Job.Expiration?
    /// The urgency, or `nil` for the default `normal`. The default is not sent.
    package let urgency: String?
    package let topic: String?
    package let isDeclarative: Bool
    private let defaultTTL: Int64

    /// Reads the parameters from a job.
    ///
    /// - Parameter defaultTTL: the TTL of a job without a deadline, in seconds.
    /// - Throws: ``WebPushFault/badPushType`` if the job has an unknown push type.
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

    /// A message that is delivered only if its browser is reachable at once.
    static let nowOrNever = WebPushRequest(expiration: .nowOrNever)

    private static func urgency(_ priority: Int?) -> String? {
        switch priority {
        case 10: "high"
        case 1: "low"
        default: nil
        }
    }

    /// Returns the time for which a service may keep a message that is sent now, in seconds.
    package func ttl(at now: Timestamp, to service: PushService) -> Int64 {
        switch expiration {
        case .at(let deadline): min(max(1, deadline.seconds - now.seconds), Self.maximumTTL)
        // Apple's documentation requires a positive number. How its service reacts to 0 is unknown.
        case .nowOrNever: service == .apple ? 1 : 0
        case nil: service == .apple ? max(1, defaultTTL) : defaultTTL
        }
    }

    package var contentType: String { isDeclarative ? "application/notification+json" : "application/octet-stream" }
}
