import Foundation
import HTTP2Session
import PushSimulator

/// An ntfy server that accepts messages as JSON with any of its access tokens.
struct NtfyDouble: PushDouble {
    let tokens: Set<String>

    func begin(_ client: ConnectingClient, answers: ChosenAnswers<NtfyAnswer>) -> any ConnectionRules {
        NtfyRules(answers, tokens)
    }
}

final class NtfyRules: ConnectionRules {
    private struct Message: Decodable { let topic: String }

    /// The maximum size of a body, in bytes.
    private static let longestBody = 8_192

    private let answers: ChosenAnswers<NtfyAnswer>
    private let tokens: Set<String>
    private var judged: [Int: NtfyAnswer] = [:]

    init(_ answers: ChosenAnswers<NtfyAnswer>, _ tokens: Set<String>) {
        (self.answers, self.tokens) = (answers, tokens)
    }

    let longestText = 2 * NtfyRules.longestBody

    func begin(_ request: Int, on connection: SimulatorConnection) { connection.keepText(of: request) }

    func token(of request: RequestText) -> String {
        (try? JSONDecoder().decode(Message.self, from: Data(request.body)))?.topic ?? request.path
    }

    func judge(_ request: Int, on connection: SimulatorConnection) -> AnswerTime {
        guard let text = connection.text(of: request) else { return .never }
        let answer = answer(to: text)
        judged[request] = answer
        return answer.time
    }

    private func answer(to text: RequestText) -> NtfyAnswer {
        guard let field = text.fields["authorization"], tokens.contains(where: { field == "Bearer \($0)" }) else {
            return NtfyAnswer(status: 401)
        }
        guard text.method == "POST", text.path == "/" else { return NtfyAnswer(status: 404) }
        guard text.body.count <= Self.longestBody else { return NtfyAnswer(status: 413) }
        guard text.token.wholeMatch(of: /[-_A-Za-z0-9]{1,64}/) != nil else { return NtfyAnswer(status: 400) }
        return answers.take(for: text) ?? .accepted
    }

    func answer(_ request: Int, on connection: SimulatorConnection) throws(HTTP2Error) -> GivenAnswer {
        let answer = judged[request] ?? .accepted
        try connection.respond(to: request, status: answer.status, body: HTTP2Body(answer.body.utf8))
        return GivenAnswer(status: answer.status, reason: nil)
    }

    func close(_ request: Int) { judged[request] = nil }
}

struct NtfyAnswer: SimulatedAnswer {
    static let accepted = NtfyAnswer()
    var status = 200
    var isNonsense = false
    var delayMilliseconds = 0
    let isWithheld = false

    var reason: String? { nil }

    var body: String {
        if isNonsense { return "<html>\u{0}{" }
        return status == 200
            ? #"{"id":"\#(UUID().uuidString.prefix(12))","event":"message"}"#
            : #"{"code":\#(status)01,"http":\#(status),"error":"refused"}"#
    }

    enum CodingKeys: String, CodingKey, CaseIterable { case status }
}

extension NtfyAnswer {
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        status = try container.decodeIfPresent(Int.self, forKey: .status) ?? 200
    }
}
