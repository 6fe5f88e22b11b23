import Foundations

extension EventName {
    static let secretUnreadable = EventName("configuration.secret.unreadable", repeats: true)
    static let secretRefused = EventName("configuration.secret.refused", repeats: true)
}
