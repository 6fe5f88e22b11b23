import Foundation
package import HTTP2Pool
package import PushModel

/// What each output that connects has among its settings.
extension OutputSettings {
    /// `ca_file`: a PEM file with the authority to trust in place of the system's.
    ///
    /// - Throws: ``SettingFault``: there is none that can be read.
    package func authorityFile() throws(SettingFault) -> String? {
        guard let path = self["ca_file"] else { return nil }
        guard FileManager.default.isReadableFile(atPath: path) else {
            throw SettingFault("ca_file", "there is no file \(path) that can be read")
        }
        return path
    }

    /// `proxy`: what connections go through.
    ///
    /// - Throws: ``SettingFault``, which does not repeat the password.
    package func proxy() throws(SettingFault) -> HTTPProxy? {
        guard let url = self["proxy"] else { return nil }
        guard let proxy = HTTPProxy(url: url) else {
            throw SettingFault("proxy", "must be http://[user:password@]host:port, user and password percent-encoded")
        }
        return proxy
    }
}
