import Foundations

extension EventName {
    static let notListening = EventName("database.listener.lost", repeats: true)
}
