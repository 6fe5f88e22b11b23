/// What is to go otherwise than well.
extension PushSimulator {
    /// Chooses the answer for a token, or for all that begin so; nil: none is chosen. The longest such choice
    /// counts.
    ///
    /// - Parameter accepted: so many requests are accepted before, as with a token that is found dead late.
    public func setAnswer(_ answer: Service.Answer?, forToken token: String, after accepted: Int = 0) {
        answers.change { $0.set(answer, forToken: Service.canonical(token), after: accepted) }
    }

    /// Chooses the answer for the next `count` requests that pass all checks, whatever their token.
    public func answerNext(_ count: Int, with answer: Service.Answer) {
        answers.change { $0.answerNext(count, with: answer) }
    }

    /// What is wrong from now on, until told otherwise.
    public func setFaults(_ faults: StandingFaults) async {
        answers.change { $0.forAll = faults.answer }
        await server.apply(faults.server)
    }

    /// Refuses the next `count` requests unprocessed, with REFUSED_STREAM (RFC 9113, section 8.7).
    public func refuseStreams(_ count: Int) {
        server.refusals.set(count)
    }

    /// Sends GOAWAY on all connections open now.
    public func sendGoAway(_ fault: GoAwayFault = GoAwayFault()) async {
        await server.onEachConnection { $0.goAway(fault) }
    }

    /// Announces another limit for open streams to all connections, those to come included.
    public func changeStreamLimit(to limit: Int) async {
        await server.onEachLoop { $0.changeStreamLimit(to: limit) }
    }

    /// Cuts all connections off without a word, as a failing network does.
    public func cutConnections() async {
        await server.onEachConnection { $0.cut() }
    }
}
