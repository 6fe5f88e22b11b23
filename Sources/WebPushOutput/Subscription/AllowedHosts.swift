package import Addressing

/// The hosts that messages may go to. A list: an endpoint may name any host there is, those of the network we run in
/// included.
package struct AllowedHosts: Equatable, Sendable {
    /// One entry: `push.example.com`, `*.push.example.com` for all that end so, either with `:8443` for another port than
    /// 443.
    package struct Rule: Hashable, Sendable {
        /// In lower case; with its dot in front where it stands for all hosts that end so.
        private let name: String
        private let port: Int

        /// - Returns: nil: it is no such entry.
        package init?(_ text: some StringProtocol) {
            guard let entry = try? Endpoint(text.lowercased(), defaultPort: 443) else { return nil }
            let isSuffix = entry.host.hasPrefix("*.")
            let host = isSuffix ? String(entry.host.dropFirst(2)) : entry.host
            // One label alone would let in a whole top-level domain.
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

    /// Mozilla, Google (its second host is that of builds of Chromium without its brand), Apple, Microsoft.
    package static let usual =
        "updates.push.services.mozilla.com, *.push.services.mozilla.com, fcm.googleapis.com, jmt17.google.com, "
        + "*.push.apple.com, *.notify.windows.com"

    private let rules: [Rule]
    /// Those that may have addresses of a private network, or this machine's.
    private let privateHosts: Set<Endpoint>

    package init(_ rules: [Rule], privateHosts: Set<Endpoint> = []) {
        self.rules = rules
        self.privateHosts = privateHosts
    }

    /// How many entries there are; those of private networks count as one.
    package var entries: Int { rules.count + 1 }

    /// By which entry messages may go to an origin; nil: by none.
    package func entry(allowing origin: Endpoint) -> Int? {
        rules.firstIndex { $0.allows(origin) } ?? (privateHosts.contains(origin) ? rules.count : nil)
    }

    /// Returns the name of an entry for metrics and problems.
    package func name(of entry: Int) -> String { entry < rules.count ? rules[entry].text : "private_hosts" }

    package func mayBePrivate(_ origin: Endpoint) -> Bool { privateHosts.contains(origin) }
}
