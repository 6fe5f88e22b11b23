import Foundations
import HTTP2Session
import PushModel

/// The header fields of requests to one origin. They change with the token and, if the job has a deadline, every
/// second. Consecutive jobs with the same parameters share them. Used only on the origin's event loop.
final class OriginFields {
    final class Entry {
        let token: VAPIDToken
        let fields: RequestFields
        fileprivate let request: WebPushRequest
        fileprivate let ttl: Int64

        fileprivate init(_ request: WebPushRequest, ttl: Int64, token: VAPIDToken, to service: PushService) throws {
            self.request = request
            self.ttl = ttl
            self.token = token
            fields = try RequestFields(request, ttl: ttl, authorization: token.authorization, to: service)
        }
    }

    private let origin: Endpoint
    private let service: PushService
    /// The fields of the previous job, or `nil`. If jobs have few recipients, the next job usually has the same fields.
    private var last: Entry?

    init(to origin: Endpoint, of service: PushService) {
        self.origin = origin
        self.service = service
    }

    func entry(for job: OriginJob, now: Timestamp) throws -> Entry {
        if let entry = job.fields, job.fieldsSecond == now.seconds { return entry }
        let token = try job.job.identity.token(for: origin, now: now)
        let ttl = job.job.request.ttl(at: now, to: service)
        let entry = try entry(job.job.request, ttl: ttl, token: token)
        job.fields = entry
        job.fieldsSecond = now.seconds
        return entry
    }

    private func entry(_ request: WebPushRequest, ttl: Int64, token: VAPIDToken) throws -> Entry {
        if let last, last.token === token, last.ttl == ttl, last.request == request { return last }
        let entry = try Entry(request, ttl: ttl, token: token, to: service)
        last = entry
        return entry
    }
}
