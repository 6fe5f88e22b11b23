import OutputConformance
import PushModel
import Store

extension OutputHarness {
    /// It has no provider, so much can't be tried.
    static let discard = OutputHarness("discard") {
        OutputSetup(plugin: DiscardPlugin(), output: DiscardOutput(now: { .now }))
    }
}
