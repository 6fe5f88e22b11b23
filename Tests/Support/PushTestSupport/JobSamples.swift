package import PushModel

extension Job {
    /// Reads a job from JSON text as the pipeline does.
    package static func read(
        _ json: String, messageID: String? = nil
    ) throws(JobRejection) -> Job {
        try JobDecoder.decode(Array(json.utf8), messageID: messageID) { "made-up" }
    }

    /// Returns a valid job with further members, such as `"priority":5`.
    package static func sample(
        recipients: String = #"["c0ffee"]"#, payload: String = #"{"aps":{"alert":"Hi"}}"#, _ members: String...
    ) throws(JobRejection) -> Job {
        try read(sampleText(recipients: recipients, payload: payload, members))
    }

    package static func sampleText(
        recipients: String = #"["c0ffee"]"#, payload: String = #"{"aps":{"alert":"Hi"}}"#, _ members: [String] = []
    ) -> String {
        let all = [#""app":"com.example.shop""#, #""recipients":\#(recipients)"#, #""payload":\#(payload)"#] + members
        return "{\(all.joined(separator: ","))}"
    }

    package func text(_ range: Range<Int>) -> String { String(decoding: bytes(range), as: UTF8.self) }
}

extension RoutedJob {
    package convenience init(
        _ job: Job, environment: PushEnvironment = .production, credential: Credential? = nil, lane: Lane = .normal,
        attempt: Int = 1, redelivered: Bool = false
    ) {
        self.init(
            job: job, environment: environment, credential: credential, lane: lane, attempt: attempt,
            redelivered: redelivered, ledgerID: 0)
    }
}
