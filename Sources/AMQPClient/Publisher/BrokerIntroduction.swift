import Threading

/// What the broker calls itself, from the connection's thread to whoever asks.
final class BrokerIntroduction: Sendable {
    private let state = Mutex<String?>(nil)

    var product: String? {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}
