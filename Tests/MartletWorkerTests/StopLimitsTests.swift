import Foundation
import Logging
import MartletWorker
import ServiceLifecycle
import TestTraits
import Testing

@Suite(.endsAHang) struct StopLimitsTests {
    /// A service that ignores shutdown and cancellation.
    private struct Hanging: Service {
        let runs: AsyncStream<Void>.Continuation

        func run() async throws {
            runs.yield()
            await Task.detached { try? await Task.sleep(for: .seconds(600)) }.value
        }
    }

    @Test func exitsIfServiceHangs() async {
        await #expect(processExitsWith: .failure) {
            var limits = StopLimits(drain: .zero)
            (limits.closing, limits.cancellation) = (.milliseconds(50), .milliseconds(50))
            let (signals, runs) = AsyncStream.makeStream(of: Void.self)
            var configuration = ServiceGroupConfiguration(
                services: [Hanging(runs: runs)], logger: Logger(label: "test"))
            limits.bound(&configuration)
            let group = ServiceGroup(configuration: configuration)
            let running = Task { try await group.run() }
            for await _ in signals { break }
            await group.triggerGracefulShutdown()
            // An error thrown here would also end the process with a failure, and the test would pass for the wrong
            // reason.
            _ = try? await running.value
        }
    }

    /// The drain has the default `worker.drain_timeout` of 30 s.
    @Test func systemdUnitAllowsEnoughTimeToStop() throws {
        let file = URL(filePath: #filePath).appending(path: "../../../deploy/systemd/martlet.service").standardized
        let unit = try String(contentsOf: file, encoding: .utf8)
        let patience = try #require(unit.firstMatch(of: /TimeoutStopSec=([0-9]+)/)?.1)
        let limits = StopLimits(drain: .seconds(30))
        #expect(try limits.drain + limits.closing + limits.cancellation < .seconds(#require(Int(patience))))
    }
}
