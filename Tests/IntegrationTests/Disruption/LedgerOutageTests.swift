import Foundation
import TestSupport
import Testing

extension PrivateServerTests {
    /// Outages of the broker or the database while `martlet ledger` runs.
    @Suite(.serialized)
    struct LedgerOutageTests {
        private static let app = "com.example.shop"

        @Test(arguments: [PrivateServers.Server.rabbitmq, .postgres])
        func ledgerIsNotReadyWhileServerIsAway(_ server: PrivateServers.Server) async throws {
            try await Installation.with(servers: PrivateServers.current) { installation in
                try await installation.addTokenApp(Self.app)
                let port = try freePort()
                try await installation.withWorker { worker in
                    try await installation.withLedger(["http.listen": "127.0.0.1:\(port)"]) { ledger in
                        try await eventuallyReady(port, ledger)
                        try await PrivateServers.stop(server)
                        let missing = server == .rabbitmq ? "consuming: false" : "storing: false"
                        try await eventually("the ledger is not ready: \(ledger.errors)") {
                            let answer = try await WorkerEndpoint.answer("ready", port: port)
                            return answer.contains(missing) && answer.hasSuffix("\n503")
                        }
                        if server == .rabbitmq {
                            let before = try await LedgerPage(port: port).value("martlet_ledger_lag_seconds")
                            try await eventually("the lag grows: \(ledger.errors)") {
                                try await LedgerPage(port: port).value("martlet_ledger_lag_seconds") > before
                            }
                        }
                        try await PrivateServers.start(server)
                        try await eventuallyReady(port, ledger)
                        try await eventually("the lag is zero: \(ledger.errors)") {
                            try await LedgerPage(port: port).value("martlet_ledger_lag_seconds") == 0
                        }
                        try await eventually("a job is published: \(worker.errors)") {
                            do {
                                try await installation.publish([JobText("1", app: Self.app, to: [Token.random()])])
                                return true
                            } catch {
                                return false
                            }
                        }
                        try await eventually("the outcome is stored: \(ledger.errors)\(worker.errors)") {
                            try await LedgerPage(port: port).value("martlet_ledger_outcomes_total") > 0
                        }
                    }
                }
            }
        }
    }
}
