/// A trouble with a server that one or several pools of an output and environment use.
package struct PoolTrouble: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        /// Requests on the wire get no answer, or the last requests got no answer and other pushes wait.
        case silent(seconds: Int)
        /// Many answers are 5xx or 429.
        case failing
        /// Many answers reject the recipient or the push.
        case rejecting
        /// More than half of the answers take longer than two seconds.
        case slow
    }

    package let output: String
    package let environment: String
    /// The credentials or hosts whose pools are concerned, or an empty list if all active pools of the output and
    /// environment are concerned.
    package let names: [String]
    package let kind: Kind
    /// The number of answers from the server in the last minute.
    package let answers: Int
    /// The number of answers that show the trouble. For a silent server, the number of requests on the wire.
    package let concerned: Int

    package init(
        output: String, environment: String, names: [String] = [], kind: Kind, answers: Int, concerned: Int
    ) {
        (self.output, self.environment, self.names) = (output, environment, names)
        (self.kind, self.answers, self.concerned) = (kind, answers, concerned)
    }

    /// Returns one trouble that combines the troubles of several pools, or `nil` if there are no troubles.
    package static func joined(_ troubles: [PoolTrouble], areAll: Bool) -> PoolTrouble? {
        guard let first = troubles.first else { return nil }
        var kind = first.kind
        for case .silent(let seconds) in troubles.map(\.kind) {
            if case .silent(let known) = kind { kind = .silent(seconds: max(known, seconds)) }
        }
        return PoolTrouble(
            output: first.output, environment: first.environment,
            names: areAll ? [] : troubles.flatMap(\.names).sorted(), kind: kind,
            answers: troubles.reduce(0) { $0 + $1.answers }, concerned: troubles.reduce(0) { $0 + $1.concerned })
    }
}

extension PoolTrouble.Kind {
    /// Returns whether two kinds of trouble are the same, even if servers have been silent for different times.
    func isLike(_ other: Self) -> Bool {
        switch (self, other) {
        case (.silent, .silent), (.failing, .failing), (.rejecting, .rejecting), (.slow, .slow): true
        default: false
        }
    }
}
