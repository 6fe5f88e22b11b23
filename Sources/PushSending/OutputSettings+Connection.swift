import Foundation
package import HTTP2Pool
package import PushModel

/// Settings of every output that opens connections.
extension OutputSettings {
    /// Returns the value of `ca_file`, or `nil` if it is not set. It is the path of a PEM file with the certificate
    /// authorities to trust instead of the system's.
    ///
    /// - Throws: `SettingFault` if the file cannot be read.
    package func authorityFile() throws(SettingFault) -> String? {
        guard let path = self["ca_file"] else { return nil }
        guard FileManager.default.isReadableFile(atPath: path) else {
            throw SettingFault("ca_file", "file \(path) does not exist or cannot be read")
        }
        return path
    }

    /// Returns the value of `proxy`, the proxy for all connections, or `nil` if it is not set.
    ///
    /// - Throws: `SettingFault` if the URL is malformed. The error does not repeat the password.
    package func proxy() throws(SettingFault) -> HTTPProxy? {
        guard let url = self["proxy"] else { return nil }
        guard let proxy = HTTPProxy(url: url) else {
            throw SettingFault("proxy", "must be http://[user:password@]host:port, user and password percent-encoded")
        }
        return proxy
    }
}
