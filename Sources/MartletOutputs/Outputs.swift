import APNSCommands
import APNSOutput
import FCMOutput
@_exported public import MartletCommand
public import PushModel
import WebPushOutput
import WebhookOutput

extension Martlet {
    /// The plugins of Martlet's own outputs. This is the only complete list of them.
    public static let outputs: [any OutputPlugin] = [
        APNSPlugin(), FCMPlugin(), WebPushPlugin(), WebhookPlugin(), DiscardPlugin(),
    ]

    /// Runs the command `martlet` with Martlet's outputs and those in `others`, and ends the process.
    public static func main(adding others: [any OutputPlugin] = []) -> Never {
        main(outputs: outputs + others, commands: AppleCommands.all)
    }
}
