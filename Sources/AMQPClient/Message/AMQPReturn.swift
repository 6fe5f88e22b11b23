/// A publication that the broker returned or that could not be published. The publisher does not publish it again. The
/// broker does not have it, unless ``AMQPPublisherEvent/mayBeTaken(_:)`` named it before.
package struct AMQPReturn: Sendable, Hashable {
    /// The reply code for a message that no queue takes (AMQP 0-9-1, `no-route`).
    static let noRoute: UInt16 = 312

    package let id: UInt64
    /// The broker's reply code: 312 no queue bound, 404 no such exchange, 403 not permitted, 406 refused property. It
    /// is 0 if this client refused the publication because AMQP can't carry it.
    package let code: UInt16
    package let text: String

    /// Whether the publication was never sent, because AMQP can't carry it over this connection.
    package var isImpossible: Bool { code == 0 }

    package init(id: UInt64, code: UInt16, text: String) {
        self.id = id
        self.code = code
        self.text = text
    }
}
