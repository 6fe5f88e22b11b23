import Foundations
import Testing
import WebPushOutput

@Suite struct AllowedHostsTests {
    private static func rules(_ text: String) -> [AllowedHosts.Rule] {
        text.split(separator: ",").compactMap { AllowedHosts.Rule($0.drop { $0 == " " }) }
    }

    @Test(
        arguments: [
            ("fcm.googleapis.com", true), ("jmt17.google.com", true), ("updates.push.services.mozilla.com", true),
            ("eu.push.services.mozilla.com", true), ("web.push.apple.com", true), ("api.push.apple.com", true),
            ("wns2-db5p.notify.windows.com", true), ("a.b.notify.windows.com", true),
            ("push.apple.com", false), ("notify.windows.com", false), ("evil-push.apple.com", false),
            ("evilpush.apple.com", false), ("web.push.apple.com.evil.example", false), ("apple.com", false),
            ("xfcm.googleapis.com", false), ("fcm.googleapis.com.evil.example", false), ("googleapis.com", false),
            ("android.googleapis.com", false), ("push.services.mozilla.com", false), ("localhost", false),
        ])
    func allowsHostsOfDefaultList(host: String, isAllowed: Bool) {
        let hosts = AllowedHosts(Self.rules(AllowedHosts.usual))
        #expect((hosts.entry(allowing: Endpoint(host: host, port: 443)) != nil) == isAllowed)
        #expect(hosts.entry(allowing: Endpoint(host: host, port: 8_443)) == nil, "a different port is not allowed")
    }

    @Test func allowsConfiguredPortsOnly() {
        let hosts = AllowedHosts(Self.rules("ntfy.example.com:8443, *.up.example.com:444"))
        #expect(hosts.entry(allowing: Endpoint(host: "ntfy.example.com", port: 8_443)) != nil)
        #expect(hosts.entry(allowing: Endpoint(host: "ntfy.example.com", port: 443)) == nil)
        #expect(hosts.entry(allowing: Endpoint(host: "a.up.example.com", port: 444)) != nil)
        #expect(hosts.entry(allowing: Endpoint(host: "up.example.com", port: 444)) == nil)
    }

    @Test func returnsNameOfEachEntry() {
        let rules = Self.rules("Push.example.com:443, *.up.example.com:444")
        let hosts = AllowedHosts(rules, privateHosts: [Endpoint(host: "localhost", port: 1)])
        #expect((0..<3).map(hosts.name) == ["push.example.com", "*.up.example.com:444", "private_hosts"])
    }

    @Test func allowsPrivateHostsByNameAndPort() {
        let local = Endpoint(host: "localhost", port: 8_443)
        let hosts = AllowedHosts(Self.rules(AllowedHosts.usual), privateHosts: [local])
        #expect(hosts.entry(allowing: local) != nil && hosts.mayBePrivate(local))
        let other = Endpoint(host: "localhost", port: 8_444)
        #expect(hosts.entry(allowing: other) == nil && !hosts.mayBePrivate(other))
        #expect(!hosts.mayBePrivate(Endpoint(host: "fcm.googleapis.com", port: 443)))
    }

    @Test(arguments: [
        "", "*", "*.", "*.com", "a.*.com", "10.0.0.1", "[::1]", "a b.com", "a.com:", "a.com:0", "https://a.example",
    ])
    func rejectsInvalidRules(text: String) {
        #expect(AllowedHosts.Rule(text) == nil)
    }
}
