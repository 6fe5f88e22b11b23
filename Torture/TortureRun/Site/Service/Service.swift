import Foundation
import PushModel
import TestSupport

/// A stand-in for an output's service, in this process.
protocol Service: Sendable {
    var output: OutputKind { get }
    /// The port that a worker's link leads to, or `nil` if a worker gets the address with each push.
    var port: UInt16? { get }

    /// Returns the settings with which a worker finds the service.
    ///
    /// - Parameters:
    ///   - port: The port of the link.
    ///   - authority: The file with the certificate to trust.
    func settings(port: UInt16, authority: URL, _ profile: Profile) -> [String: String]
    var authorityPEM: String { get throws }
    func account(of app: Workload.AppPlan) -> String
    /// Creates another credential of the account, which the service accepts from now on.
    func newCredential(of app: Workload.AppPlan) throws -> NewCredential
    /// Whether an account may get a new credential and lose the previous one.
    var hasNewCredentials: Bool { get }
    func carryOut(_ fault: ServiceFault, for time: Duration) async throws
    func stop() async
}

extension Service {
    var hasNewCredentials: Bool { true }

    /// Calls `begin`, waits, and then calls `end`, even if the wait is cancelled.
    func during(_ time: Duration, _ begin: () async -> Void, _ end: () async -> Void) async throws {
        await begin()
        do {
            try await Task.sleep(for: time)
        } catch {
            await end()
            throw error
        }
        await end()
    }

    func cannot(_ fault: ServiceFault) -> Failure { Failure(description: "\(output.rawValue) has no \(fault.name)") }
}
