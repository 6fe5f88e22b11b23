import HTTP2Session
import Logging
import PushSimulator

/// A push service of a few lines: `POST /toy/<id>`. Where all else comes from is what the tests here show.
struct ToyDouble: PushDouble {
    func begin(_ client: ConnectingClient, answers: ChosenAnswers<ToyAnswer>) -> any ConnectionRules {
        ToyRules(answers, isCounter: client.port == 0)
    }

    static var views: [ControlView<ToyDouble>] {
        [ControlView("toys/:id") { simulator, id in [id: simulator.recordedAcceptances[id] ?? 0] }]
    }

    static var commands: [ControlCommand<ToyDouble>] {
        [ControlCommand(.post, "sale", step: "sale") { $0.answerNext(1, with: ToyAnswer(status: 409, word: "sold")) }]
    }
}

final class ToyRules: ConnectionRules {
    private let answers: ChosenAnswers<ToyAnswer>
    private let isCounter: Bool
    private var judged: [Int: ToyAnswer] = [:]
    private var pings = 0

    init(_ answers: ChosenAnswers<ToyAnswer>, isCounter: Bool) {
        (self.answers, self.isCounter) = (answers, isCounter)
    }

    func begin(_ request: Int, on connection: SimulatorConnection) {
        connection.keepText(of: request)
    }

    func token(of request: RequestText) -> String {
        String(request.path.split(separator: "/").last ?? "")
    }

    func judge(_ request: Int, on connection: SimulatorConnection) -> AnswerTime {
        guard let text = connection.text(of: request) else { return .never }
        let isToy = isCounter && text.method == "POST" && text.path.hasPrefix("/toy/")
        if !isToy { connection.count("other_shops") }
        let answer = isToy ? answers.take(for: text) ?? .accepted : ToyAnswer(status: 404, word: "no toy")
        judged[request] = answer
        return answer.time
    }

    func answer(_ request: Int, on connection: SimulatorConnection) throws(HTTP2Error) -> GivenAnswer {
        let answer = judged[request] ?? .accepted
        let body = answer.word.map { HTTP2Body("sorry: \($0)".utf8) }
        try connection.respond(to: request, status: answer.status, body: body)
        return GivenAnswer(status: answer.status, reason: answer.word)
    }

    func close(_ request: Int) { judged[request] = nil }

    func pinged(on connection: SimulatorConnection) {
        pings += 1
        if pings == 3 { connection.goAway(code: .enhanceYourCalm, debugText: "too_many_pings") }
    }
}

struct ToyAnswer: SimulatedAnswer {
    static let accepted = ToyAnswer()
    var status = 200
    var word: String?
    var delayMilliseconds = 0
    var isWithheld = false

    var reason: String? { word }

    enum CodingKeys: String, CodingKey, CaseIterable { case status, word, delay = "delay_ms" }
}

extension ToyAnswer {
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        status = try container.numberIfPresent(.status, in: ControlMessage.statuses) ?? 200
        word = try container.decodeIfPresent(String.self, forKey: .word)
        delayMilliseconds = try container.numberIfPresent(.delay, in: ControlMessage.delays) ?? 0
    }
}
