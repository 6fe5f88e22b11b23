package import Foundations

/// The list of hosts to which messages may be sent. It is necessary because an endpoint may name any host, including a
/// host in the worker's own network.
package struct AllowedHosts: Equatable, Sendable {
    /// An entry of the list: `push.example.com`, or `*.push.example.com` for all hosts with this ending. A port other
    /// than 443 may follow, such as `:8443`.
    package struct Rule: Hashable, Sendable {
        /// The host in lower case. A leading dot stands for all hosts with this ending.
        private let name: String
        private let port: Int

        /// Creates an entry, or returns `nil` if the text is not a valid one.
        package init?(_ text: some StringProtocol) {
            guard let entry = try? Endpoint(text.lowercased(), defaultPort: 443) else { return nil }
            let isSuffix = entry.host.hasPrefix("*.")
            let host = isSuffix ? String(entry.host.dropFirst(2)) : entry.host
            // A single label would allow a whole top-level domain.
            guard PushEndpoint.isName(host.utf8), !isSuffix || host.contains("."), entry.port > 0 else { return nil }
            name = isSuffix ? ".\(host)" : host
            port = entry.port
        }

        /// The entry as it is written in the list, in lower case and without the standard port.
        fileprivate var text: String {
            "\(name.hasPrefix(".") ? "*" : "")\(name)\(port == 443 ? "" : ":\(port)")"
        }

        fileprivate func allows(_ origin: Endpoint) -> Bool {
            origin.port == port && (name.hasPrefix(".") ? origin.host.hasSuffix(name) : origin.host == name)
        }
    }

    /// The hosts of Mozilla, Google, Apple and Microsoft. The host jmt17.google.com serves unbranded builds of
    /// Chromium.
    package static let usual =
        "updates.push.services.mozilla.com, *.push.services.mozilla.com, fcm.googleapis.com, jmt17.google.com, "
        + "*.push.apple.com, *.notify.windows.com"

    private let rules: [Rule]
    /// The hosts that may have addresses of a private network or of this machine.
    private let privateHosts: Set<Endpoint>

    package init(_ rules: [Rule], privateHosts: Set<Endpoint> = []) {
        self.rules = rules
        self.privateHosts = privateHosts
    }

    /// The number of entries. All private hosts together count as one entry.
    package var entries: Int { rules.count + 1 }

    /// Returns the index of the entry that allows messages to an origin, or `nil` if no entry does.
    package func entry(allowing origin: Endpoint) -> Int? {
        rules.firstIndex { $0.allows(origin) } ?? (privateHosts.contains(origin) ? rules.count : nil)
    }

    /// Returns the name of an entry for metrics and problems.
    package func name(of entry: Int) -> String { entry < rules.count ? rules[entry].text : "private_hosts" }

    package func mayBePrivate(_ origin: Endpoint) -> Bool { privateHosts.contains(origin) }
}
