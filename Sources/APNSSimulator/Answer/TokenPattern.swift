/// Patterns of device tokens that determine the answer by their first eight hex digits. With them, a load test can get
/// any mix of answers without configuring the simulator. About one random token in 400 million matches a pattern.
///
/// | first digits | answer |
/// |---|---|
/// | `dead0410` | 410 Unregistered, died just now |
/// | `dead1410` | 410 ExpiredToken, died just now |
/// | `dead2410` | 410 Unregistered, died 30 days ago |
/// | `bad00400` | 400 BadDeviceToken |
/// | `bad01400` | 400 DeviceTokenNotForTopic |
/// | `bad00429` | 429 TooManyRequests |
/// | `bad00500` | 500 InternalServerError |
/// | `bad00503` | 503 ServiceUnavailable |
/// | `bad01503` | 503 Shutdown |
/// | `de1ade1a` + 4 decimal digits | 200 after this number of milliseconds |
/// | `deafdeaf` | never answered |
package enum TokenPattern {
    /// Returns the answer for a token, or `nil` if the token matches no pattern.
    ///
    /// - Parameters:
    ///   - prefix: the value of the token's first eight hex digits.
    ///   - parameter: the value of the next four hex digits.
    package static func answer(prefix: UInt32, parameter: UInt16) -> PlannedAnswer? {
        switch prefix {
        case 0xdead_0410: PlannedAnswer(.unregistered)
        case 0xdead_1410: PlannedAnswer(.expiredToken)
        case 0xdead_2410: PlannedAnswer(.unregistered, diedMillisecondsAgo: 30 * 24 * 3600 * 1000)
        case 0xbad0_0400: PlannedAnswer(.badDeviceToken)
        case 0xbad0_1400: PlannedAnswer(.deviceTokenNotForTopic)
        case 0xbad0_0429: PlannedAnswer(.tooManyRequests)
        case 0xbad0_0500: PlannedAnswer(.internalServerError)
        case 0xbad0_0503: PlannedAnswer(.serviceUnavailable)
        case 0xbad0_1503: PlannedAnswer(.shutdown)
        case 0xde1a_de1a: decimal(parameter).map { PlannedAnswer(delayMilliseconds: $0) }
        case 0xdeaf_deaf: PlannedAnswer(isWithheld: true)
        default: nil
        }
    }

    /// Returns the number that four hex digits spell if they are read as decimal, or `nil` if one of them is a letter.
    private static func decimal(_ digits: UInt16) -> Int? {
        var value = 0
        for shift in stride(from: 12, through: 0, by: -4) {
            let digit = Int(digits >> shift & 0xf)
            guard digit <= 9 else { return nil }
            value = value * 10 + digit
        }
        return value
    }
}
