import PushModel
import PushSending
import Testing

@Suite struct PrivateHostsTests {
    private func hosts(_ list: String?, usualPorts: [Int] = [443, 80]) throws(SettingFault) -> [String] {
        let settings = OutputSettings([OutputSetting("private_hosts", help: "hosts")]) { _ in list }
        return try settings.privateHosts(usualPorts: usualPorts).map { "\($0)" }.sorted()
    }

    @Test(
        arguments: [
            (nil, []), ("", []), (" , ", []), ("sms.internal", ["sms.internal:443", "sms.internal:80"]),
            ("SMS.internal:8080", ["sms.internal:8080"]), ("a:1,  b:2 ,a:1", ["a:1", "b:2"]),
            ("10.0.0.5:8443", ["10.0.0.5:8443"]), ("[::1]:81", ["[::1]:81"]), ("[::1]", ["[::1]:443", "[::1]:80"]),
        ] as [(String?, [String])])
    func usesNamedPortOrUsualPorts(list: String?, meant: [String]) throws {
        #expect(try hosts(list) == meant)
    }

    @Test func takesUsualPortsFromCaller() throws {
        #expect(try hosts("push.internal", usualPorts: [443]) == ["push.internal:443"])
    }

    @Test(arguments: [
        "https://localhost", "sms.internal/in", "*.internal", "sms.internal:", "sms.internal:0", "sms.internal:x",
        "sms.internal:65536", ":443", "::1", "user@sms.internal", "a b", "a,b c",
    ])
    func rejectsInvalidHosts(list: String) {
        let fault = #expect(throws: SettingFault.self) { try hosts(list) }
        #expect(fault?.problem.hasSuffix(" is neither a host nor host:port") == true)
    }
}
