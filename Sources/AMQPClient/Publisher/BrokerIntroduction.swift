import Foundations

/// The broker's product and version, or `nil` before the first connect. The connection's thread sets the value, and any
/// thread may read it.
final class BrokerIntroduction: Sendable {
    private let state = Mutex<String?>(nil)

    var product: String? {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}
