public import PushModel

/// The plugin of an output that writes each push to a file, as a line of JSON.
public struct LogbookPlugin: OutputPlugin {
    public let name = "logbook"
    public let settings = [
        OutputSetting("file", default: "logbook.ndjson", help: "file to which each push is written as a line"),
        OutputSetting("page", .integer(100...65_536), default: "4096", help: "maximum size of a payload, in bytes"),
    ]
    /// The verdicts of the reasons. A recipient that is not aboard is marked dead. A failed write is retried, because a
    /// full disk may have room again later.
    public let reasons: [String: Outcome.Verdict] = [
        "NotAboard": .unregistered, "PageTooShort": .rejected, "NotWritten": .retry,
    ]

    public init() {}

    public func check(_ settings: OutputSettings) throws {
        _ = try settings.integer("page")
    }

    public func make(_ context: OutputContext) throws -> any Output {
        LogbookOutput(
            path: try context.settings.text("file"), page: try context.settings.integer("page"), clock: context.clock)
    }
}
