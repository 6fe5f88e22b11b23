package import Foundations

extension EventName {
    package static let secretUnreadable = EventName("configuration.secret.unreadable", repeats: true)
    package static let secretRefused = EventName("configuration.secret.refused", repeats: true)
}
