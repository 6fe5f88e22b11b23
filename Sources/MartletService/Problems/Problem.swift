package import PushModel

/// A condition that keeps pushes from being delivered as they should be, or soon will. It is open until it ends.
package struct Problem: Sendable, Hashable, Encodable {
    /// The party that can end a problem. Problems are listed in this order, because a problem of an earlier party can
    /// cause one of a later party.
    package enum Party: String, Sendable, Hashable, Encodable, CaseIterable {
        case database
        case broker
        /// The operators of Martlet.
        case ours
        /// The path to a provider, or the provider.
        case network
        case provider
        /// The consumers of the results exchange.
        case consumer
        case publisher
        /// The facts do not show who can end the problem.
        case unknown
        /// An operator has decided it.
        case decision
    }

    package enum Severity: String, Sendable, Hashable, Encodable {
        /// Something is not delivered as it should be.
        case trouble
        /// No push is late yet.
        case notice
    }

    package let kind: ProblemKind
    package let party: Party
    package let severity: Severity
    /// The object of the problem, such as an output and environment, an app, a table or an exchange. It is empty if the
    /// problem concerns the whole worker.
    package let subject: String
    /// One sentence that says what is wrong.
    package let text: String
    package let advice: String
    /// The time at which this worker found the problem.
    package var since: Timestamp

    /// - Parameters:
    ///   - severity: nil: that of the kind.
    ///   - party: nil: that of the kind.
    package init(
        _ kind: ProblemKind, _ text: String, subject: String = "", severity: Severity? = nil, party: Party? = nil,
        since: Timestamp = Timestamp(seconds: 0)
    ) {
        self.kind = kind
        self.party = party ?? kind.party
        self.severity = severity ?? kind.severity
        self.subject = subject.printable
        self.text = text.printable
        self.advice = kind.advice
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
