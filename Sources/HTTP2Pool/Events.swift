import Foundations

extension EventName {
    static let takesNoMore = EventName("connection.full", repeats: true)
    static let addressRefuses = EventName("connection.address.failed", repeats: true)
    static let connectingFailed = EventName("connection.failed", repeats: true)
    static let connectionLost = EventName("connection.lost", repeats: true)
    static let authorizationUnusable = EventName("connection.authorization.unusable", repeats: true)
    static let answersOverdue = EventName("connection.answers.overdue", repeats: true)
    static let connectionSilent = EventName("connection.silent", repeats: true)
    static let answerTooLong = EventName("connection.answer.too_long", repeats: true)
    static let goAway = EventName("connection.goaway", repeats: true)
}
