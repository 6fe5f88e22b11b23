/// A password that stays hidden when it is printed, interpolated, dumped or reflected.
package struct AMQPPassword: Sendable, Hashable {
    let text: String

    package init(_ text: String) {
        self.text = text
    }
}

extension AMQPPassword: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "<password>" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
