import Foundations
import HTTP2Pool
import Testing
import WebPushOutput

@Suite struct WebPushConfigurationTests {
    @Test(
        arguments: [
            ("fcm.googleapis.com", false), ("jmt17.google.com", false), ("updates.push.services.mozilla.com", true),
        ])
    func sendsNoPingsToGoogle(host: String, sendsPings: Bool) throws {
        let rule = try #require(AllowedHosts.Rule(host[...]))
        let configuration = WebPushConfiguration(hosts: AllowedHosts([rule], privateHosts: []))
        let pool = configuration.pool(
            to: Endpoint(host: host, port: 443), allowedBy: 0, sharing: SharedConnectionLimit(8))
        #expect(pool.sendsPings == sendsPings)
        #expect(pool.requestTimeoutSeconds == (sendsPings ? 60 : 30))
    }
}
