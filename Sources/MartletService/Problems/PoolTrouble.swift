/// A condition of the server that one pool, or several pools of an output and environment, send to.
package struct PoolTrouble: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        /// Requests are on the wire and get no answer, or the last requests got none and others wait.
        case silent(seconds: Int)
        /// Many answers are 5xx or 429.
        case failing
        /// Many answers reject the recipient or the push.
        case rejecting
        /// Half of the answers take longer than two seconds.
        case slow
    }

    package let output: String
    package let environment: String
    /// The credentials or hosts concerned. Empty if all pools of the output and environment are concerned.
    package let names: [String]
    package let kind: Kind
    /// The answers of the last minute.
    package let answers: Int
    /// The answers that the kind concerns, or the requests on the wire of a silent server.
    package let concerned: Int

    package init(
        output: String, environment: String, names: [String] = [], kind: Kind, answers: Int, concerned: Int
    ) {
        (self.output, self.environment, self.names) = (output, environment, names)
        (self.kind, self.answers, self.concerned) = (kind, answers, concerned)
    }

    /// Joins the troubles of several pools.
    static func joined(_ troubles: [PoolTrouble], areAll: Bool) -> PoolTrouble? {
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
    /// Returns whether two troubles are of the same kind.
    func isLike(_ other: Self) -> Bool {
        switch (self, other) {
        case (.silent, .silent), (.failing, .failing), (.rejecting, .rejecting), (.slow, .slow): true
        default: false
        }
    }
}
