import APNSOutput
import CredentialStore
import HTTP2Pool
import PushModel

/// What a check of one credential in one environment found; `--json` shows it as it is.
struct CredentialCheckReport: Encodable, Sendable {
    let id: String?
    let label, team, environment, endpoint: String
    /// `ok`, `refused`, `unreachable` or `unusable`.
    let result: String
    let status: Int?
    /// Apple's reason.
    let reason: String?
    let detail: String
    let advice: String?
    let daysLeft: Int?

    init(
        _ credential: CheckedCredential, _ environment: PushEnvironment, at endpoint: Endpoint,
        _ finding: APNSCredentialFinding, now: Timestamp
    ) {
        id = credential.id
        label = credential.label
        team = credential.team
        self.environment = environment.rawValue
        self.endpoint = endpoint.description
        daysLeft = credential.notAfter.map { $0.days(from: now) }
        advice = finding.advice
        switch finding {
        case .accepted(let how): (result, status, reason, detail) = ("ok", nil, nil, how)
        case .unreachable(let why): (result, status, reason, detail) = ("unreachable", nil, nil, why)
        case .unusable(let why): (result, status, reason, detail) = ("unusable", nil, nil, why)
        case .refused(let code, let why):
            (result, status, reason) = ("refused", code, why)
            detail = [code.map(String.init), why].compactMap(\.self).joined(separator: " ")
        }
    }

    var isGood: Bool { result == "ok" }

    /// One line for people.
    var text: String {
        let name = id.map { "\(label) (\($0))" } ?? label
        let days = daysLeft.map { $0 < 0 ? "" : ", \($0) days left" } ?? ""
        return "\(isGood ? "ok   " : "FAIL ") \(name), \(environment) at \(endpoint)\(days): "
            + "\(isGood ? "" : result + ": ")\(detail)\(advice.map { "; \($0)" } ?? "")"
    }
}
