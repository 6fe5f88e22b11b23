import Foundations

extension EventName {
    static let providerTokensBack = EventName("apns.provider_token.resumed")
    static let providerTokensGone = EventName("apns.provider_token.failed")
}
