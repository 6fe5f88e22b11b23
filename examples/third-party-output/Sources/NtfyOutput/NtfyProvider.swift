public import Foundations
import Foundation
public import PushModel
public import PushSending

/// A server of ntfy (https://docs.ntfy.sh/publish/#publish-as-json). Recipients are topics. A payload is a message as
/// JSON without its topic.
public struct NtfyProvider: PushProvider {
    private struct Answer: Decodable {
        let id: String?
        let code: Int?
        let error: String?
    }

    private let endpoint: Endpoint

    public init(endpoint: Endpoint) { self.endpoint = endpoint }

    public func server(for credential: Credential?, in environment: PushEnvironment) throws -> PushServer {
        guard case .secret(let token)? = credential?.kind else { throw PushFault("NoToken") }
        let text = token.withBytes { String(decoding: $0, as: UTF8.self) }
        return PushServer(endpoint: endpoint, secretFields: ["authorization": "Bearer \(text)"])
    }

    public func requestBuilder(for job: RoutedJob) throws(PushFault) -> RequestBuilder {
        let job = job.job
        return { recipient throws(PushFault) in
            let message = job.bytes(recipient.payload ?? job.payload).dropLast()
            // The topic comes last, so that it replaces a topic in the payload.
            let isEmpty = message.dropFirst().allSatisfy { [0x09, 0x0A, 0x0D, 0x20].contains($0) }
            let body = message + Array((isEmpty ? #""topic":"# : #","topic":"#).utf8) + job.bytes(recipient.addressJSON)
            return try PushRequest(path: "/", body: body + [UInt8(ascii: "}")])
        }
    }

    public func meaning(of answer: PushAnswer) -> PushMeaning {
        let body = try? JSONDecoder().decode(Answer.self, from: Data(answer.body))
        let fault = PushFault("Status\(answer.status)", detail: body?.error)
        switch answer.status {
        case 200: return body?.id.map { .accepted(id: $0) } ?? .unknown(fault)
        case 401: return .credentialRefused(fault)
        // The token may be limited to other topics.
        case 403: return .refusedAmbiguously(fault)
        case 429: return .throttled(fault)
        // The topic has no subscriber at present.
        case 507: return .retry(fault)
        case 500...: return .unknown(fault)
        default: return .rejected(fault)
        }
    }
}
