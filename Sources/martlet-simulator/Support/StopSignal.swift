internal import Dispatch
internal import Foundation

/// A wait for SIGTERM or SIGINT. Signals are caught as soon as the value is created.
struct StopSignal {
    private let signals: AsyncStream<Void>
    private let sources: [any DispatchSourceSignal]

    init() {
        let (signals, arrival) = AsyncStream<Void>.makeStream()
        self.signals = signals
        sources = [SIGTERM, SIGINT].map { number in
            // The default action would end the process before the source receives the signal.
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
        // The default action is restored, so that a second signal ends the process at once.
        for number in [SIGTERM, SIGINT] { signal(number, SIG_DFL) }
    }
}
