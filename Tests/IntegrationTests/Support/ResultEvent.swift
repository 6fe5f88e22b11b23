/// An event of the results exchange, decoded only from its JSON, as a consumer in another language would decode it.
struct ResultEvent: Decodable, Sendable {
    struct Outcome: Decodable, Sendable {
        let job: String
        let recipient: String
        let ref: String?
        let status: Int?
        let reason: String?
        let by: String?
        let apns_id: String?
        let attempts: Int
        let redelivered: Bool?
        let unregistered_at: String?
        let at: String
    }

    struct Fault: Decodable, Sendable {
        let field: String
        let problem: String
    }

    let kind: String
    let app: String?
    let worker: String?
    let job: String?
    let outcomes: [Outcome]?
    let errors: [Fault]?
}

/// A recipient of a job.
struct Addressee: Hashable, CustomStringConvertible {
    let job: String
    let token: String
    var description: String { "\(job) to \(token)" }
}

/// The part of an outcome that a consumer acts on.
struct Verdict: Hashable, CustomStringConvertible {
    let kind: String
    var reason: String?
    var by: String?
    var description: String { [kind, reason, by.map { "by \($0)" }].compactMap { $0 }.joined(separator: " ") }
}
