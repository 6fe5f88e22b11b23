/// Why a single request has no answer.
package enum SingleRequestError: Error {
    case timedOut
    /// No connection, or it was lost before the answer.
    case connectionLost(String)
    /// The server ended the connection over our certificate.
    case certificateRefused(String)
    /// The connection ended with these words of the server's.
    case goAway(debugData: [UInt8])
    case tooLong(maximum: Int)

    init(_ loss: RequestLoss) {
        self =
            switch loss {
            case .timeout: .timedOut
            case .streamReset(let code): .connectionLost("the request was reset (\(code))")
            case .connectionLost(let error?): SingleRequestError(lostBy: error)
            case .connectionLost(nil): .connectionLost("closed without an answer")
            }
    }

    init(lostBy error: any Error) {
        self =
            ConnectError.refusesCertificate(error) ? .certificateRefused("\(error)") : .connectionLost("\(error)")
    }
}
