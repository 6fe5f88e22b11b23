/// The reason why a single request has no answer.
package enum SingleRequestError: Error {
    case timedOut
    /// The connection could not be opened or was lost before the answer, or the server reset or refused the request.
    case connectionLost(String)
    /// The server closed the connection because of this client's certificate.
    case certificateRefused(String)
    /// The server closed the connection with a GOAWAY that contains this debug data.
    case goAway(debugData: [UInt8])
    case tooLong(maximum: Int)

    init(_ loss: RequestLoss) {
        self =
            switch loss {
            case .timeout: .timedOut
            case .streamReset(let code): .connectionLost("the request was reset (\(code))")
            case .connectionLost(let error?): SingleRequestError(lostBy: error)
            case .connectionLost(nil): .connectionLost("the connection was closed without an answer")
            }
    }

    init(lostBy error: any Error) {
        let text = ConnectError.text(of: error)
        self = ConnectError.refusesCertificate(error) ? .certificateRefused(text) : .connectionLost(text)
    }
}

extension SingleRequestError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .timedOut: "no answer in time"
        case .connectionLost(let why): why
        case .certificateRefused(let why): "the server rejects the client certificate (\(why))"
        case .goAway(let words):
            "the server ended the connection: \(String(decoding: words.prefix(500), as: UTF8.self))"
        case .tooLong(let maximum): "the answer is longer than \(maximum) bytes"
        }
    }
}
