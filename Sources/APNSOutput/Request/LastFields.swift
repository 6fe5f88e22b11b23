import HTTP2Session
import Threading

/// The header fields of the job before: mostly those of the next one, too, where jobs have few recipients.
final class LastFields: Sendable {
    private let last = Mutex<(request: APNSRequest, fields: HTTP2Fields)?>(nil)

    func fields(of request: APNSRequest) throws(HTTP2Error) -> HTTP2Fields {
        if let fields = last.withLock({ $0?.request == request ? $0?.fields : nil }) { return fields }
        let fields = try HTTP2Fields(request.headerFields)
        last.withLock { $0 = (request, fields) }
        return fields
    }
}
