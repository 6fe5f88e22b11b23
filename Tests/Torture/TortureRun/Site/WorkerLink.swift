import TestSupport

/// The proxies between a worker and one of its peers. A peer with several hosts has one proxy for each host.
struct WorkerLink: Sendable {
    static let none = WorkerLink(proxies: [])

    private let proxies: [TCPProxy]

    private init(proxies: [TCPProxy]) { self.proxies = proxies }

    init(to targets: [UInt16]) throws { proxies = try targets.map { try TCPProxy(target: $0) } }

    var ports: [UInt16] { proxies.map(\.port) }

    func cut() { for proxy in proxies { proxy.cut() } }
    func freeze() { for proxy in proxies { proxy.freeze() } }
    func setDelay(milliseconds: Int) { for proxy in proxies { proxy.setDelay(milliseconds: milliseconds) } }
    func stop() { for proxy in proxies { proxy.stop() } }
}

extension Array {
    /// Returns all elements in the same order, but beginning with the element at `count`, modulo the number of
    /// elements.
    func rotated(by count: Int) -> [Element] {
        let start = isEmpty ? 0 : count % self.count
        return Array(self[start...] + self[..<start])
    }
}
