import Observability
import PushModel
import Routing
import Store

/// The result of checking one credential in one environment, as `--json` shows it.
struct CredentialCheckReport: Encodable, Sendable {
    let id: String?
    let label, environment: String
    /// The provider's server, as text, or `nil` if the output is not installed or needs no credentials.
    let endpoint: String?
    /// The result, which is `ok`, `refused`, `unreachable` or `unusable`.
    let result: String
    let status: Int?
    /// The reason in the provider's answer, or `nil` if it contains none.
    let reason: String?
    let detail: String
    let advice: String?
    let daysLeft: Int?
    private let output, account: String

    private enum CodingKeys: CodingKey {
        case id, label, environment, endpoint, result, status, reason, detail, advice, daysLeft
    }

    init(
        _ credential: CheckedCredential, _ environment: PushEnvironment, at endpoint: String?,
        _ finding: CredentialFinding, now: Timestamp
    ) {
        id = credential.id
        label = credential.label
        (output, account) = (credential.output, credential.account)
        self.environment = environment.rawValue
        self.endpoint = endpoint
        daysLeft = credential.notAfter.map { $0.days(from: now) }
        advice = finding.advice
        switch finding.result {
        case .accepted(let how): (result, status, reason, detail) = ("ok", nil, nil, how)
        case .unreachable(let why): (result, status, reason, detail) = ("unreachable", nil, nil, why)
        case .unusable(let why): (result, status, reason, detail) = ("unusable", nil, nil, why)
        case .refused(let code, let why):
            (result, status, reason) = ("refused", code, why)
            detail = [code.map(String.init), why].compactMap(\.self).joined(separator: " ")
        }
    }

    /// The report as `--json` shows it, with the account.
    var described: WithAccount<Self> { WithAccount(base: self, output: output, account: account) }

    var isGood: Bool { result == "ok" }

    /// The report as one line for operators.
    var text: String {
        let name = id.map { "\(label) (\($0))" } ?? label
        let days = daysLeft.map { $0 < 0 ? "" : ", \(Phrase.count($0, "day")) left" } ?? ""
        let place = endpoint.map { " at \($0)" } ?? ""
        return "\(isGood ? "ok   " : "FAIL ") \(name), \(environment)\(place)\(days): "
            + "\(isGood ? "" : result + ": ")\(detail)\(advice.map { "; \($0)" } ?? "")"
    }
}
