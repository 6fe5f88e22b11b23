/// Patterns of registration tokens that determine the answer by their first eight characters. In installation ids, the
/// pattern begins at the second character.
///
/// | first characters | answer |
/// |---|---|
/// | `dead0404` | 404 UNREGISTERED |
/// | `dead1404` | 404 UNREGISTERED, unused for 270 days |
/// | `bad00400` | 400 INVALID_ARGUMENT: invalid token |
/// | `bad01400` | 400 INVALID_ARGUMENT: "APNs device token is disabled" |
/// | `bad02400` | 400 INVALID_ARGUMENT with only a BadRequest, as for an invalid payload |
/// | `bad00401` | 401 THIRD_PARTY_AUTH_ERROR, with a message that blames the bearer |
/// | `bad01401` | 401 UNAUTHENTICATED |
/// | `bad00403` | 403 SENDER_ID_MISMATCH |
/// | `bad01403` | 403 PERMISSION_DENIED without an FcmError |
/// | `bad00404` | 404 NOT_FOUND without an FcmError |
/// | `bad00429` | 429 QUOTA_EXCEEDED for the device |
/// | `bad00500`, `bad00503` | 500 INTERNAL, 503 UNAVAILABLE |
/// | `bad00502` | 502 with HTML |
/// | `de1ade1a` + 4 decimal digits | 200 after this number of milliseconds |
/// | `deafdeaf` | never answered |
/// | `0badc0de`, `00000bad` | the stream is reset, the connection is closed without notice |
enum TokenPattern {
    static func answer(to target: Target) -> PlannedFCMAnswer? {
        switch target {
        case .token(let text): answer(text[...])
        case .installation(let text): answer(text.dropFirst())
        case .topic, .condition: nil
        }
    }

    private static func answer(_ text: Substring) -> PlannedFCMAnswer? {
        // This quick check excludes nearly all tokens.
        guard let first = text.utf8.first, first == UInt8(ascii: "d") || first == UInt8(ascii: "b") || first == 0x30
        else { return nil }
        return switch text.prefix(8) {
        case "dead0404", "dead1404": PlannedFCMAnswer(.unregistered)
        case "bad00400": PlannedFCMAnswer(.invalidToken)
        case "bad01400": PlannedFCMAnswer(.apnsTokenDisabled)
        case "bad02400": PlannedFCMAnswer(.invalidPayload)
        case "bad00401": PlannedFCMAnswer(.thirdPartyAuthError)
        case "bad01401": PlannedFCMAnswer(.unauthenticated)
        case "bad00403": PlannedFCMAnswer(.senderIDMismatch)
        case "bad01403": PlannedFCMAnswer(.permissionDenied)
        case "bad00404": PlannedFCMAnswer(.notFound)
        case "bad00429": PlannedFCMAnswer(.deviceQuotaExceeded)
        case "bad00500": PlannedFCMAnswer(.internalError)
        case "bad00502": PlannedFCMAnswer(.badGateway)
        case "bad00503": PlannedFCMAnswer(.unavailable)
        case "de1ade1a": Int(text.dropFirst(8).prefix(4)).map { PlannedFCMAnswer(delayMilliseconds: $0) }
        case "deafdeaf": PlannedFCMAnswer(loss: .silence)
        case "0badc0de": PlannedFCMAnswer(loss: .reset)
        case "00000bad": PlannedFCMAnswer(loss: .cut)
        default: nil
        }
    }
}
