/// Functions that inject faults for tests and operators.
extension SimulatedService {
    /// Chooses the answer for a token or for all tokens with a prefix, or removes the choice if `answer` is `nil`. If
    /// several prefixes match a token, the longest one applies.
    ///
    /// - Parameter accepted: the number of requests to accept before the answer applies. A test can simulate a token
    ///   that dies later.
    public func setAnswer(_ answer: Service.Answer?, forToken token: String, after accepted: Int = 0) {
        answers.change { $0.set(answer, forToken: Service.canonical(token), after: accepted) }
    }

    /// Chooses the answer for the next `count` requests that pass all checks, regardless of their token.
    public func answerNext(_ count: Int, with answer: Service.Answer) {
        answers.change { $0.answerNext(count, with: answer) }
    }

    /// Sets the faults that apply until they are changed.
    public func setFaults(_ faults: StandingFaults) async {
        answers.change { $0.forAll = faults.answer }
        await server.apply(faults.server)
    }

    /// Refuses the next `count` requests unprocessed, with REFUSED_STREAM (RFC 9113, section 8.7).
    public func refuseStreams(_ count: Int) {
        server.refusals.set(count)
    }

    /// Sends GOAWAY on all connections that are open now.
    public func sendGoAway(_ fault: GoAwayFault = GoAwayFault()) async {
        await server.onEachConnection { $0.goAway(fault) }
    }

    /// Announces a new limit of open streams to all present and future connections. ``reset()`` and a restart of the
    /// simulator restore the configured limit for new connections.
    public func changeStreamLimit(to limit: Int) async {
        await server.onEachLoop { $0.changeStreamLimit(to: limit) }
    }

    /// Ends all connections like a network failure, without notice.
    public func cutConnections() async {
        await server.onEachConnection { $0.cut() }
    }
}
