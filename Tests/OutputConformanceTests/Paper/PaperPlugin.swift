import PushModel

/// The plugin of ``PaperOutput``.
struct PaperPlugin: OutputPlugin {
    let fault: PaperFault?

    var name: String { fault == .hasNoWordForAName ? "paper, or so" : "paper" }

    func make(_ context: OutputContext) -> any Output { PaperOutput(PaperProvider(), fault) }
}
