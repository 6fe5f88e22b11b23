/// A password that stays hidden when it is printed, interpolated, dumped or reflected.
public struct AMQPPassword: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable
{
    let text: String

    public init(_ text: String) {
        self.text = text
    }

    public var description: String { "<password>" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
