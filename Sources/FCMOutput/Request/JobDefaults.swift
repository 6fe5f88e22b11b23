import PushModel
import PushSending

/// The values that a job's own fields set in a message, for each platform to which FCM passes messages on. Values in
/// the payload take precedence.
///
/// | field of the job | `android` | `apns.headers` | `webpush.headers` |
/// |---|---|---|---|
/// | `expires_at` | `ttl`, counted from now | `apns-expiration` | `TTL`, counted from now |
/// | `priority` 10, 5, 1 | `priority` HIGH, NORMAL, NORMAL | `apns-priority` | `Urgency` high, normal, low |
/// | `collapse_id` | `collapse_key` | `apns-collapse-id` | `Topic`, or its hash if it is not a valid topic |
///
/// `android_v2`, which excludes `android`, also gets `ttl` and `collapse_key`, but no priority.
struct JobDefaults: Equatable {
    /// The longest time for which FCM stores a message, in seconds.
    private static let longestTTL: Int64 = 2_419_200

    private let expiration: Job.Expiration?
    private let priority: Int?
    private let collapseID: String?
    private let topic: String?

    init(of job: Job) {
        expiration = job.expiration
        priority = job.priority
        collapseID = job.collapseID
        topic = job.collapseID.map { TopicField.value(collapseID: $0, app: job.app) }
    }

    var isEmpty: Bool { expiration == nil && priority == nil && collapseID == nil }

    /// Returns the time for which FCM may store the message, in whole seconds, or `nil` if the job does not limit it.
    func ttl(at now: Timestamp) -> Int64? {
        switch expiration {
        case nil: nil
        case .nowOrNever: 0
        case .at(let end): min(max(0, end.seconds - now.seconds), Self.longestTTL)
        }
    }

    func android(ttl: Int64?) -> [DefaultMember] {
        var defaults: [DefaultMember] = []
        if let ttl { defaults.append(DefaultMember("ttl", "\(ttl)s")) }
        if let priority { defaults.append(DefaultMember("priority", priority == 10 ? "HIGH" : "NORMAL")) }
        if let collapseID { defaults.append(DefaultMember("collapse_key", also: "collapseKey", collapseID)) }
        return defaults
    }

    var apnsHeaders: [DefaultMember] {
        var defaults: [DefaultMember] = []
        switch expiration {
        case .nowOrNever: defaults.append(DefaultMember("apns-expiration", "0"))
        case .at(let end): defaults.append(DefaultMember("apns-expiration", "\(end.seconds)"))
        case nil: break
        }
        if let priority { defaults.append(DefaultMember("apns-priority", "\(priority)")) }
        if let collapseID { defaults.append(DefaultMember("apns-collapse-id", collapseID)) }
        return defaults
    }

    func webpushHeaders(ttl: Int64?) -> [DefaultMember] {
        var defaults: [DefaultMember] = []
        if let ttl { defaults.append(DefaultMember("TTL", "\(ttl)")) }
        if let priority {
            defaults.append(DefaultMember("Urgency", priority == 10 ? "high" : priority == 5 ? "normal" : "low"))
        }
        if let topic { defaults.append(DefaultMember("Topic", topic)) }
        return defaults
    }
}

/// A member that is added to a JSON object unless the object already has it.
struct DefaultMember: Equatable {
    let name: String
    /// An alternative spelling of the name, or `nil`.
    let otherName: String?
    let value: String

    init(_ name: String, also otherName: String? = nil, _ value: String) {
        self.name = name
        self.otherName = otherName
        self.value = value
    }

    /// Returns whether a member with this name takes precedence over the default. The comparison ignores case, as
    /// header names require. Other members are case-sensitive, but they are never written in another case.
    func isMet(by name: String) -> Bool {
        name == otherName || name.lowercased() == self.name.lowercased()
    }
}
