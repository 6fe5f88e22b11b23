import APNSCommands
import APNSOutput
import FCMOutput
@_exported public import MartletCommand
public import PushModel
import WebPushOutput
import WebhookOutput

/// The list of plugins. No other place names the outputs.
extension Martlet {
    public static let outputs: [any OutputPlugin] = [
        APNSPlugin(), FCMPlugin(), WebPushPlugin(), WebhookPlugin(), DiscardPlugin(),
    ]

    /// Runs the command `martlet` with Martlet's outputs and those in `others`, and ends the process.
    public static func main(adding others: [any OutputPlugin] = []) -> Never {
        main(outputs: outputs + others, commands: AppleCommands.all)
    }
}
