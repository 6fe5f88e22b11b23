import Foundations

extension EventName {
    static let serviceUnreachable = EventName("webpush.service.unprepared", repeats: true)
    static let serviceAnswersAgain = EventName("webpush.service.answers")
    static let serviceSilent = EventName("webpush.service.silent")
    static let keyRefused = EventName("webpush.credential.refused")
    static let keyAccepted = EventName("webpush.credential.accepted")
    static let serviceBusy = EventName("webpush.service.busy", repeats: true)
}
