internal import HTTP2Session
internal import PushSimulator

/// The behaviour of one persona on one connection.
final class WebPushRules: ConnectionRules {
    private struct Request {
        var fields = PushFields()
        var body: [UInt8] = []
        var answer = PlannedWebPushAnswer.accepted
    }

    private let persona: Persona
    private let judge: PushJudge
    private let pending: PendingMessages
    private var requests: [Request] = []
    private var random = SplitMixGenerator()

    /// The maximum number of body bytes to keep. It exceeds the limit of every persona, so that a body that is too
    /// large can be detected.
    let longestText = 16_384

    init(_ double: WebPushDouble, _ persona: Persona, _ answers: ChosenAnswers<PlannedWebPushAnswer>) {
        self.persona = persona
        judge = PushJudge(double, persona, answers)
        pending = double.pending
    }

    func begin(_ request: Int, on connection: SimulatorConnection) {
        if request == requests.count { requests.append(Request()) }
    }

    func take(
        _ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, of request: Int,
        on connection: SimulatorConnection
    ) {
        requests[request].fields.take(name, value)
    }

    func take(body bytes: UnsafeRawBufferPointer, of request: Int) {
        requests[request].body.append(contentsOf: bytes.prefix(longestText - requests[request].body.count))
    }

    /// Returns the endpoint of the request.
    func token(of request: RequestText) -> String {
        "https://\(request.fields[":authority"] ?? "")\(request.path)"
    }

    func judge(_ request: Int, on connection: SimulatorConnection) -> AnswerTime {
        let fields = requests[request].fields
        let verdict = judge.judge(fields, requests[request].body, at: connection.now)
        requests[request].answer = verdict.answer
        connection.text(of: request)?.plaintext = verdict.plaintext
        if verdict.answer.fault == nil, let topic = fields.topics.first, pending.replaces(fields.endpoint, topic) {
            connection.count("replaced")
        }
        return verdict.answer.when
    }

    func answer(_ request: Int, on connection: SimulatorConnection) throws(HTTP2Error) -> GivenAnswer {
        let answer = requests[request].answer, fields = requests[request].fields
        if answer.fault == nil {
            let acceptance = Acceptance(
                persona, origin: fields.origin, life: fields.life ?? 0, location: answer.location, from: &random)
            try connection.respond(to: request, status: answer.status, fields: acceptance.fields)
            return GivenAnswer(status: answer.status, reason: nil, isAcceptance: (200..<300).contains(answer.status))
        }
        let said = PersonaAnswer(answer, persona)
        try connection.respond(
            to: request, status: said.status, fields: said.fields,
            body: fields.method == "HEAD" ? nil : HTTP2Body(said.body.utf8))
        return GivenAnswer(status: said.status, reason: answer.reason, isAcceptance: false)
    }

    func close(_ request: Int) {
        requests[request] = Request()
    }
}
