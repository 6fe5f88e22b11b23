package import Foundations
package import PushModel

extension OutputSettings {
    /// Returns the value of `private_hosts`, the hosts that may have addresses in a private network. The entries are
    /// separated by commas. An entry is `host:port`, or `host` for all `usualPorts`.
    ///
    /// - Throws: `SettingFault` if an entry is malformed.
    package func privateHosts(usualPorts: [Int]) throws(SettingFault) -> Set<Endpoint> {
        var hosts: Set<Endpoint> = []
        for entry in (self["private_hosts"] ?? "").lowercased().split(separator: ",") {
            let words = entry.split(separator: " ")
            guard let text = words.first else { continue }
            let named = (try? Endpoint(text)).map { [$0] }
            let meant = named ?? usualPorts.compactMap { try? Endpoint(text, defaultPort: $0) }
            guard words.count == 1, let first = meant.first, first.port > 0, Self.isHost(first.host) else {
                throw SettingFault("private_hosts", "\(entry) is neither a host nor host:port")
            }
            hosts.formUnion(meant)
        }
        return hosts
    }

    /// Returns whether a string contains only characters that a host name or an address may have.
    private static func isHost(_ text: String) -> Bool {
        text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
                UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: ":"):
                true
            default: false
            }
        }
    }
}
