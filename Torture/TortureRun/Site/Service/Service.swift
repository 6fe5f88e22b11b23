import Foundation
import PushModel
import TestSupport

/// What stands for an output's service, in this process.
protocol Service: Sendable {
    var output: OutputKind { get }
    /// What a worker's way to it goes to; nil: it is told its address with each push.
    var port: UInt16? { get }

    /// What a worker must be told to find it.
    /// - Parameters:
    ///   - port: of what lies between.
    ///   - authority: the file with the certificate to trust.
    func settings(port: UInt16, authority: URL, _ profile: Profile) -> [String: String]
    var authorityPEM: String { get throws }
    func account(of app: Workload.AppPlan) -> String
    /// Another credential of that account, which it takes from now on.
    func newCredential(of app: Workload.AppPlan) throws -> NewCredential
    /// Whether an account may have another credential, and lose the one before.
    var hasNewCredentials: Bool { get }
    func carryOut(_ fault: ServiceFault, for time: Duration) async throws
    func stop() async
}

extension Service {
    var hasNewCredentials: Bool { true }

    /// Does something for a while.
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
