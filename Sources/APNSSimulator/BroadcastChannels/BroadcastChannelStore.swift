internal import Foundation
internal import Foundations

/// The broadcast channels of all apps in the simulator's only environment.
final class BroadcastChannelStore: Sendable {
    private struct State {
        var channels: [String: [BroadcastChannel]] = [:]
        var appsWithoutFeature: Set<String> = []
    }

    private let state = Mutex(State())
    private let limit: Int

    /// Creates an empty store.
    ///
    /// - Parameter limit: the maximum number of channels of an app.
    init(limit: Int) {
        self.limit = limit
    }

    func channels(of app: String) -> [BroadcastChannel] {
        state.withLock { $0.channels[app] ?? [] }
    }

    func find(_ id: String, of app: String) -> BroadcastChannel? {
        channels(of: app).first { $0.id == id }
    }

    /// Creates a channel with a random id.
    ///
    /// - Returns: the channel, or `nil` if the app has reached the limit.
    func create(app: String, storesMostRecent: Bool) -> BroadcastChannel? {
        let id = Data((0..<16).map { _ in UInt8.random(in: .min ... .max) }).base64EncodedString()
        let channel = BroadcastChannel(id: id, storesMostRecent: storesMostRecent)
        return state.withLock { state in
            guard state.channels[app, default: []].count < limit else { return nil }
            state.channels[app, default: []].append(channel)
            return channel
        }
    }

    func delete(_ id: String, of app: String) {
        state.withLock { $0.channels[app]?.removeAll { $0.id == id } }
    }

    func broadcast(to id: String, of app: String) {
        state.withLock { state in
            guard let place = state.channels[app]?.firstIndex(where: { $0.id == id }) else { return }
            state.channels[app]?[place].broadcasts += 1
        }
    }

    func setFeature(enabled: Bool, app: String) {
        state.withLock { state in
            if enabled { state.appsWithoutFeature.remove(app) } else { state.appsWithoutFeature.insert(app) }
        }
    }

    func hasFeature(_ app: String) -> Bool {
        state.withLock { !$0.appsWithoutFeature.contains(app) }
    }
}
