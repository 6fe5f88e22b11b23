/// Why a single request has no answer.
enum SingleExchangeError: Error {
    case timedOut
    /// No connection, or it was lost before the answer.
    case connectionLost(String)
    /// The server ended the connection over our certificate.
    case certificateRefused(String)
    /// The connection ended with a reason of Apple's.
    case goAway(reason: String)
    case tooLong(maximum: Int)

    init(lostBy error: any Error) {
        self =
            APNSConnectError.refusesCertificate(error) ? .certificateRefused("\(error)") : .connectionLost("\(error)")
    }
}
