import OutputConformance
import PushModel
import Store

extension OutputHarness {
    /// A harness for the discard output. This output has no provider, so many rules are skipped.
    static let discard = OutputHarness("discard") {
        OutputSetup(plugin: DiscardPlugin(), output: DiscardOutput(now: { .now }))
    }
}
