import Addressing

/// The hosts of a URL and the addresses of each, as connections of their own: libpq gives each of them its time in its
/// blocking calls only.
package enum HostAttempts {
    /// libpq's keywords and values, in the order in which they are tried. Of a service libpq alone knows the hosts.
    ///
    /// - Parameter environment: where libpq looks for what the URL leaves out.
    package static func of(_ options: [String: String], environment: [String: String]) -> [[String: String]] {
        func value(_ keyword: String, _ variable: String) -> String? {
            Self.value(keyword, variable, options, environment)
        }
        func list(_ text: String?) -> [String] {
            text?.split(separator: ",", omittingEmptySubsequences: false).map(String.init) ?? []
        }
        if let service = value("service", "PGSERVICE") { return [options.merging(["service": service]) { $1 }] }
        let names = list(value("host", "PGHOST"))
        let addresses = list(value("hostaddr", "PGHOSTADDR"))
        let ports = list(value("port", "PGPORT"))
        let count = addresses.isEmpty ? max(names.count, 1) : addresses.count
        // Of lists that don't fit each other libpq says what is wrong.
        guard [0, count].contains(names.count), [0, 1, count].contains(ports.count) else { return [options] }
        var hosts = (0..<count).map { place in
            var host = options
            host["host"] = names.isEmpty ? nil : names[place]
            host["hostaddr"] = addresses.isEmpty ? nil : addresses[place]
            // in a list, what is left out is not the environment's
            if ports.count > 1 { host["port"] = ports[place].isEmpty ? "5432" : ports[place] }
            return host
        }
        if isRandom(options, environment) { hosts.shuffle() }
        var wanted = value("target_session_attrs", "PGTARGETSESSIONATTRS")
        // of several hosts, one may have become a standby
        if wanted == nil, count > 1 { wanted = "read-write" }
        return (wanted == "prefer-standby" ? ["standby", "any"] : [wanted]).flatMap { wanted in
            hosts.map { host in
                var host = host
                host["target_session_attrs"] = wanted
                return host
            }
        }
    }

    /// The name of one of them that has to be looked up; nil for an address, a Unix socket and what is left to libpq.
    package static func name(of host: [String: String]) -> String? {
        guard host["service"] == nil, host["hostaddr"] == nil, let name = host["host"], !name.isEmpty,
            !name.hasPrefix("/"), !name.hasPrefix("@"), !name.contains(","), HostAddresses.isName(name)
        else { return nil }
        return name
    }

    /// One of them at each of its addresses. Its name stays, for TLS and the password file.
    package static func of(
        _ host: [String: String], at addresses: [String], environment: [String: String]
    ) -> [[String: String]] {
        (isRandom(host, environment) ? addresses.shuffled() : addresses).map { address in
            host.merging(["hostaddr": address]) { $1 }
        }
    }

    private static func isRandom(_ options: [String: String], _ environment: [String: String]) -> Bool {
        value("load_balance_hosts", "PGLOADBALANCEHOSTS", options, environment) == "random"
    }

    private static func value(
        _ keyword: String, _ variable: String, _ options: [String: String], _ environment: [String: String]
    ) -> String? {
        [options[keyword], environment[variable]].compactMap(\.self).first { !$0.isEmpty }
    }
}
