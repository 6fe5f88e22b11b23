import Foundation
import PushModel
import TestSupport

/// The service of an output. It is a simulator or receiver in this process.
protocol Service: Sendable {
    var output: OutputKind { get }
    /// The port to which a worker's link leads, or `nil` if the service has no link because all workers use the same
    /// addresses.
    var port: UInt16? { get }

    /// Returns the settings with which a worker finds the service.
    ///
    /// - Parameters:
    ///   - port: the port of the worker's link.
    ///   - authority: the file with the certificate to trust.
    func settings(port: UInt16, authority: URL, _ profile: Profile) -> [String: String]
    var authorityPEM: String { get throws }
    func account(of app: Workload.AppPlan) -> String
    /// Creates another credential of the app's account. The service accepts it from now on.
    func newCredential(of app: Workload.AppPlan) throws -> NewCredential
    /// Whether accounts get new credentials during the run, and lose the previous ones.
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
