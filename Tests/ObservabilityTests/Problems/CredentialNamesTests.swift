import Foundations
import Observability
import PushModel
import Routing
import Testing
import WorkerTestSupport

@Suite struct CredentialNamesTests {
    @Test func distinguishesCredentialsWithEqualLabels() {
        let credentials = [
            CredentialSummary.sample("11111111-2222", notAfter: nil), .sample("33333333-4444", notAfter: nil),
        ]
        #expect(
            credentials.names == [
                "11111111-2222": #"my "label" (11111111)"#, "33333333-4444": #"my "label" (33333333)"#,
            ])
    }

    @Test func keepsLabelsThatOnlyRetiredCredentialsShare() {
        let credentials = [
            CredentialSummary.sample("1", notAfter: nil), .sample("2", notAfter: nil, state: .retired),
        ]
        #expect(credentials.names["1"] == #"my "label""#)
    }
}
