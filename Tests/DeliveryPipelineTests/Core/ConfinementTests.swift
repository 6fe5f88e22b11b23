import DeliveryPipeline
import Dispatch
import PushModel
import Testing

@Suite struct ConfinementTests {
    @Test func aTurnOffThePipelinesQueueEndsTheProcess() async {
        await #expect(processExitsWith: .failure) {
            let harness = PipelineHarness()
            harness.deliver(jobBody())
            let job = try harness.job(0)
            harness.core.report([job.outcome(0, .sent)])
            harness.core.queue.sync {}
            harness.recorder.withRecord { $0.timers }.first?.work()
        }
    }
}
