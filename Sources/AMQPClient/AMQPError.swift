/// An error that this client or the broker reports. It never contains a password.
package struct AMQPError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of failure. It is not an enum, so that kinds can be added without breaking a `switch`.
    package struct Code: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
        package let rawValue: String

        package init(rawValue: String) {
            self.rawValue = rawValue
        }

        package var description: String { rawValue }

        /// A setting or a part of the URL can't be used. The message names it.
        package static let invalidConfiguration = Self(rawValue: "invalidConfiguration")
        /// No connection could be made: the name was not found, the host refused or was unreachable, or the system had
        /// no memory, thread or file descriptor left.
        package static let connectionFailed = Self(rawValue: "connectionFailed")
        /// TLS could not be set up, because of a certificate, a key, the verification or the handshake.
        package static let tlsFailed = Self(rawValue: "tlsFailed")
        /// The user, password or virtual host is wrong, or a permission is missing (reply codes 403 and 530).
        package static let accessRefused = Self(rawValue: "accessRefused")
        /// An open connection ended without an AMQP close, or the broker went silent.
        package static let connectionLost = Self(rawValue: "connectionLost")
        /// The broker closed the connection. ``AMQPError/reply`` contains its reason.
        package static let connectionClosed = Self(rawValue: "connectionClosed")
        /// The broker closed a channel. ``AMQPError/reply`` contains its reason.
        package static let channelClosed = Self(rawValue: "channelClosed")
        /// A queue or exchange does not exist (reply code 404).
        package static let notFound = Self(rawValue: "notFound")
        /// Another connection holds the queue exclusively (reply code 405).
        package static let resourceLocked = Self(rawValue: "resourceLocked")
        /// The broker refused a request (reply code 406), for example because a queue or exchange exists with other
        /// properties.
        package static let preconditionFailed = Self(rawValue: "preconditionFailed")
        /// The broker cancelled a consumer, for example because its queue was deleted.
        package static let consumerCancelled = Self(rawValue: "consumerCancelled")
        /// The host or the broker did not answer in time, while connecting or later.
        package static let timedOut = Self(rawValue: "timedOut")
        /// The broker refused or returned a publication, or AMQP can't carry it.
        package static let publicationRefused = Self(rawValue: "publicationRefused")
        /// The broker sent something that AMQP 0-9-1 does not allow at this point.
        package static let protocolViolation = Self(rawValue: "protocolViolation")
        /// The consumer or publisher was closed.
        package static let closed = Self(rawValue: "closed")
    }

    /// A reply code and text as the broker sent them (AMQP 0-9-1, section 1.2 of the generated reference).
    package struct Reply: Sendable, Hashable, CustomStringConvertible {
        package let code: UInt16
        package let text: String

        package init(code: UInt16, text: String) {
            self.code = code
            self.text = text
        }

        package var description: String { "\(code) \(text)" }
    }

    package let code: Code
    /// A description of the attempt and its failure, for humans.
    package let message: String
    /// The broker's reply, or `nil` if the broker sent none.
    package let reply: Reply?

    package init(_ code: Code, _ message: String, reply: Reply? = nil) {
        self.code = code
        self.message = message
        self.reply = reply
    }

    /// Whether the same attempt may succeed later without a change to a setting, queue or exchange.
    package var isRetriable: Bool {
        switch code {
        case .invalidConfiguration, .tlsFailed, .accessRefused, .notFound, .preconditionFailed, .closed: false
        default: true
        }
    }

    package var description: String {
        guard let reply else { return message }
        return "\(message): \(reply)"
    }
}
