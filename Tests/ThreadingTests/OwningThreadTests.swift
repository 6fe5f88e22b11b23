import Foundation
import Testing
import Threading

struct OwningThreadTests {
    @Test func theOwnerPasses() {
        OwningThread().preconditionIsCurrent()
    }

    @Test func anotherThreadEndsTheProcess() async {
        await #expect(processExitsWith: .failure) {
            let owner = OwningThread()
            let isOver = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                owner.preconditionIsCurrent()
                isOver.signal()
            }
            isOver.wait()
        }
    }
}
