import HTTP2Session
import Logging
import PushSimulator
import Foundations

/// A minimal push service. It answers `POST /toy/<id>` with 200, and `POST /toys`, whose body starts with the id, with
/// 201. All other behaviour comes from the shared simulator, which the tests here examine.
struct ToyDouble: PushDouble {
    let visits = Visits()

    func begin(_ client: ConnectingClient, answers: ChosenAnswers<ToyAnswer>) -> any ConnectionRules {
        ToyRules(answers, isCounter: client.port == 0, visits)
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
    private let visits: Visits
    private var judged: [Int: ToyAnswer] = [:]
    private var pings = 0

    init(_ answers: ChosenAnswers<ToyAnswer>, isCounter: Bool, _ visits: Visits) {
        (self.answers, self.isCounter, self.visits) = (answers, isCounter, visits)
    }

    let longestText = 10_000

    func opened(_ connection: SimulatorConnection) {
        connection.schedule(afterMilliseconds: 1) { [visits] _ in visits.greeted.add(1, ordering: .relaxed) }
    }

    func closed() { visits.ended.add(1, ordering: .relaxed) }

    func begin(_ request: Int, on connection: SimulatorConnection) {
        connection.keepText(of: request)
    }

    func token(of request: RequestText) -> String {
        if request.path == "/toys" { return String(decoding: request.body.prefix(4), as: UTF8.self) }
        return String(request.path.split(separator: "/").last ?? "")
    }

    func judge(_ request: Int, on connection: SimulatorConnection) -> AnswerTime {
        guard let text = connection.text(of: request) else { return .never }
        let isToy = isCounter && text.method == "POST" && text.path.hasPrefix("/toy")
        if text.path == "/toys", text.token == "leak" { text.plaintext = Array("secret".utf8) }
        if text.path == "/toys", !answers.needToken {
            judged[request] = ToyAnswer(status: 201)
            return .after(milliseconds: 0)
        }
        if !isToy { connection.count("other_shops") }
        let answer = isToy ? answers.take(for: text) ?? .accepted : ToyAnswer(status: 404, word: "no toy")
        judged[request] = answer
        return switch answer.word {
        case "reset": .reset(afterMilliseconds: 5)
        case "cut": .cut(afterMilliseconds: 5)
        case "last": last(on: connection)
        default: answer.time
        }
    }

    private func last(on connection: SimulatorConnection) -> AnswerTime {
        connection.schedule(afterMilliseconds: 5) {
            $0.goAway(debugText: "closing")
            $0.close()
        }
        return .after(milliseconds: 0)
    }

    func answer(_ request: Int, on connection: SimulatorConnection) throws(HTTP2Error) -> GivenAnswer {
        let answer = judged[request] ?? .accepted
        let hasBody = connection.text(of: request)?.method != "HEAD"
        let body = hasBody ? answer.word.map { HTTP2Body("sorry: \($0)".utf8) } : nil
        try connection.respond(to: request, status: answer.status, body: body)
        return GivenAnswer(
            status: answer.status, reason: answer.word, isAcceptance: [200, 201].contains(answer.status))
    }

    func close(_ request: Int) { judged[request] = nil }

    func pinged(on connection: SimulatorConnection) {
        pings += 1
        if pings == 3 { connection.goAway(code: .enhanceYourCalm, debugText: "too_many_pings") }
    }
}

/// Counters that outlive the rules of a connection.
final class Visits: Sendable {
    let greeted = Atomic(0)
    let ended = Atomic(0)
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
