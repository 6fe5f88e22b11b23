import Foundations

/// Functions that list the connection attempts for the hosts of a URL and their addresses. libpq limits the time of
/// each address only in its blocking calls, which this client does not use. Therefore each address is a separate
/// attempt with its own options.
package enum HostAttempts {
    /// Returns libpq's keywords and values for each host, in the order of the attempts. With `prefer-standby`, each
    /// host occurs twice. If a service is named, only libpq knows the hosts, and one attempt is returned.
    ///
    /// - Parameter environment: the variables from which libpq takes the options that the URL omits.
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
        // If the lengths of the lists do not match, libpq reports the error.
        guard [0, count].contains(names.count), [0, 1, count].contains(ports.count) else { return [options] }
        var hosts = (0..<count).map { place in
            var host = options
            host["host"] = names.isEmpty ? nil : names[place]
            host["hostaddr"] = addresses.isEmpty ? nil : addresses[place]
            // In a list of ports, an omitted port is the default port, not the port in the environment.
            if ports.count > 1 { host["port"] = ports[place].isEmpty ? "5432" : ports[place] }
            return host
        }
        if isRandom(options, environment) { hosts.shuffle() }
        var wanted = value("target_session_attrs", "PGTARGETSESSIONATTRS")
        // If there are several hosts, one of them may have become a standby, so a server that accepts writes is
        // required.
        if wanted == nil, count > 1 { wanted = "read-write" }
        return (wanted == "prefer-standby" ? ["standby", "any"] : [wanted]).flatMap { wanted in
            hosts.map { host in
                var host = host
                host["target_session_attrs"] = wanted
                return host
            }
        }
    }

    /// Returns the name that must be looked up for a host. Returns `nil` for an address, for a Unix socket, and for
    /// names that libpq looks up.
    package static func name(of host: [String: String]) -> String? {
        guard host["service"] == nil, host["hostaddr"] == nil, let name = host["host"], !name.isEmpty,
            !name.hasPrefix("/"), !name.hasPrefix("@"), !name.contains(","), HostAddresses.isName(name)
        else { return nil }
        return name
    }

    /// Returns the attempts for one host, one for each of its addresses. The host keeps its name, because TLS and the
    /// password file use it.
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
