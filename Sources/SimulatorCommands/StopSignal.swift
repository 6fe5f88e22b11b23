internal import Dispatch
internal import Foundation

/// Becomes true at SIGTERM or SIGINT, from its making on.
struct StopSignal {
    private let signals: AsyncStream<Void>
    private let sources: [any DispatchSourceSignal]

    init() {
        let (signals, arrival) = AsyncStream<Void>.makeStream()
        self.signals = signals
        sources = [SIGTERM, SIGINT].map { number in
            // The default action would end the process before the source is asked.
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler { arrival.yield() }
            source.activate()
            return source
        }
    }

    func wait() async {
        for await _ in signals { break }
        for source in sources {
            source.cancel()
        }
        // A second one ends the process at once.
        for number in [SIGTERM, SIGINT] { signal(number, SIG_DFL) }
    }
}
