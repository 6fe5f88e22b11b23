import HTTP2Session
import Foundations

/// A cache with the header fields of the previous job. If jobs have few recipients, the next job usually has the same
/// fields.
final class LastFields: Sendable {
    private let last = Mutex<(request: APNSRequest, fields: HTTP2Fields)?>(nil)

    func fields(of request: APNSRequest) throws(HTTP2Error) -> HTTP2Fields {
        if let fields = last.withLock({ $0?.request == request ? $0?.fields : nil }) { return fields }
        let fields = try HTTP2Fields(request.headerFields)
        last.withLock { $0 = (request, fields) }
        return fields
    }
}
