import Foundations

extension EventName {
    static let accessTokensBack = EventName("fcm.access_token.resumed")
    static let accessTokenRefused = EventName("fcm.access_token.refused")
    static let accessTokensGone = EventName("fcm.access_token.failed", repeats: true)
    static let projectMustWait = EventName("fcm.project.waits")
}
