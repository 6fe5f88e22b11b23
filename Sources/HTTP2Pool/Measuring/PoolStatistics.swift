/// The numbers of a pool's connections, streams and waiting requests.
struct PoolStatistics: Hashable, Sendable {
    var connecting = 0
    var open = 0
    var draining = 0
    var streams = 0
    var streamsLimit = 0
    var waiting = 0

    init() {}

    init(_ connections: [PooledConnection], waiting: Int) {
        self.waiting = waiting
        for connection in connections {
            streams += connection.openStreams
            if connection.isOpen {
                open += 1
                streamsLimit += connection.maximumStreams
            } else if connection.isConnecting {
                connecting += 1
            } else {
                draining += 1
            }
        }
    }
}
