package import PushModel

/// A condition that delays or prevents deliveries, or can do so later.
package struct Problem: Sendable, Hashable, Encodable {
    /// The party that can end a problem. Problems of the same severity are listed in the order of these cases, because
    /// a problem of an earlier party can cause problems of later parties.
    package enum Party: String, Sendable, Hashable, Encodable, CaseIterable {
        case database
        case broker
        /// The operators of Martlet.
        case ours
        /// The owner of the network path to a provider, or the provider. The worker can't distinguish the two.
        case network
        case provider
        /// The owner of a server that an output sends to, if the server does not belong to a provider.
        case receiver
        /// The consumers of the results exchange.
        case consumer
        case publisher
        /// The worker can't determine the party that can end the problem.
        case unknown
        /// An operator caused the condition on purpose.
        case decision
    }

    package enum Severity: String, Sendable, Hashable, Encodable {
        /// Deliveries are delayed or fail.
        case trouble
        /// Deliveries may be delayed or fail later, or a delay is intended or ending.
        case notice
    }

    package let kind: ProblemKind
    package let party: Party
    package let severity: Severity
    /// The object of the problem, such as an output and environment, an app, a table or an exchange. The text is empty
    /// if the problem names no such object.
    package let subject: String
    /// The description of the problem, in one or several sentences.
    package let text: String
    package let advice: String
    /// The time at which this worker found the problem.
    package var since: Timestamp

    /// Creates a problem.
    ///
    /// - Parameters:
    ///   - severity: the severity, or `nil` for the severity of the kind.
    ///   - party: the party that can end the problem, or `nil` for the party of the kind.
    package init(
        _ kind: ProblemKind, _ text: String, subject: String = "", severity: Severity? = nil, party: Party? = nil,
        since: Timestamp = Timestamp(seconds: 0)
    ) {
        let party = party ?? kind.party
        (self.kind, self.party) = (kind, party)
        self.severity = severity ?? kind.severity
        self.subject = subject.printable
        self.text = text.printable
        self.advice = kind.advice(for: party)
        self.since = since
    }

    private enum CodingKeys: String, CodingKey { case kind, party, severity, subject, text, advice, since }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(kind, forKey: .kind)
        try container.encode(party, forKey: .party)
        try container.encode(severity, forKey: .severity)
        try container.encode(subject, forKey: .subject)
        try container.encode(text, forKey: .text)
        try container.encode(advice, forKey: .advice)
        try container.encode(since.rfc3339, forKey: .since)
    }
}
