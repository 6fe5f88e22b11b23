import DeliveryPipeline
import Dispatch
import PushModel
import Testing

@Suite struct ConfinementTests {
    @Test func endsProcessOnTurnOutsidePipelineQueue() async {
        await #expect(processExitsWith: .failure) {
            let harness = PipelineHarness()
            harness.deliver(jobBody())
            // An error thrown here would also end the process with a failure, and the test would pass for the wrong
            // reason.
            guard let job = try? harness.job(0) else { return }
            harness.core.report([job.outcome(0, .sent)])
            harness.core.queue.sync {}
            let timer = harness.recorder.withRecord { $0.timers }.first
            timer?.work()
        }
    }
}
