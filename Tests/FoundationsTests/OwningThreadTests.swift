import Foundation
import Testing
import Foundations

struct OwningThreadTests {
    @Test func acceptsOwningThread() {
        OwningThread().preconditionIsCurrent()
    }

    @Test func endsProcessOnOtherThread() async {
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
