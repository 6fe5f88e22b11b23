import EventNames
import Foundation
import Logging
import UnixSignals

/// Ends the process at once when it is told to stop a second time. Nothing is lost by that: what is not settled is
/// delivered again.
enum SecondSignal {
    static func watch(_ logger: Logger) async {
        var count = 0
        for await signal in await UnixSignalsSequence(trapping: .sigterm, .sigint) {
            count += 1
            guard count > 1 else { continue }
            logger.warning(
                .stoppedTwice, "Told to stop a second time: ending at once", metadata: ["signal": "\(signal)"])
            _exit(EXIT_FAILURE)
        }
    }
}
