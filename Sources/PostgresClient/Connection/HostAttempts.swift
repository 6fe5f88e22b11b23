/// The hosts of a URL, each as a connection of its own: libpq gives each of them its time in its blocking calls only.
package enum HostAttempts {
    /// libpq's keywords and values, in the order in which they are tried.
    ///
    /// - Parameter environment: where libpq looks for what the URL leaves out.
    package static func of(_ options: [String: String], environment: [String: String]) -> [[String: String]] {
        func value(_ keyword: String, _ variable: String) -> String? {
            [options[keyword], environment[variable]].compactMap(\.self).first { !$0.isEmpty }
        }
        func list(_ text: String?) -> [String] {
            text?.split(separator: ",", omittingEmptySubsequences: false).map(String.init) ?? []
        }
        let names = list(value("host", "PGHOST"))
        let addresses = list(value("hostaddr", "PGHOSTADDR"))
        let ports = list(value("port", "PGPORT"))
        let count = addresses.isEmpty ? names.count : addresses.count
        // Of lists that don't fit each other libpq says what is wrong.
        guard count > 1, [0, count].contains(names.count), [0, 1, count].contains(ports.count) else { return [options] }
        var hosts = (0..<count).map { place in
            var host = options
            host["host"] = names.isEmpty ? nil : names[place]
            host["hostaddr"] = addresses.isEmpty ? nil : addresses[place]
            let port = ports.count > 1 ? ports[place] : ports.first ?? ""
            host["port"] = port.isEmpty ? "5432" : port
            return host
        }
        if value("load_balance_hosts", "PGLOADBALANCEHOSTS") == "random" { hosts.shuffle() }
        guard value("target_session_attrs", "PGTARGETSESSIONATTRS") == "prefer-standby" else { return hosts }
        return ["standby", "any"].flatMap { wanted in
            hosts.map { $0.merging(["target_session_attrs": wanted]) { $1 } }
        }
    }
}
