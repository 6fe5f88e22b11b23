import Foundations
import Foundation
import Logging
import UnixSignals

/// A handler that ends the process immediately on a second SIGTERM or SIGINT. No job is lost, because the broker
/// redelivers all jobs that are not settled.
enum SecondSignal {
    static func watch(_ logger: Logger) async {
        var count = 0
        for await signal in await UnixSignalsSequence(trapping: .sigterm, .sigint) {
            count += 1
            guard count > 1 else { continue }
            logger.warning(
                .stoppedTwice, "Received a second stop signal; exiting at once", metadata: ["signal": "\(signal)"])
            _exit(EXIT_FAILURE)
        }
    }
}
