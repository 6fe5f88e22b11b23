/// What went wrong between this client and the broker.
///
/// A password is never part of it.
public struct AMQPError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of failure; open, so that more can be added without breaking a `switch`.
    public struct Code: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
        public let rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        public var description: String { rawValue }

        /// A setting or a part of the URL can't be used; the message names it.
        public static let invalidConfiguration = Self(rawValue: "invalidConfiguration")
        /// No connection: name not found, refused, unreachable, or no answer in time.
        public static let connectionFailed = Self(rawValue: "connectionFailed")
        /// TLS could not be set up: certificate, key, verification or handshake.
        public static let tlsFailed = Self(rawValue: "tlsFailed")
        /// Wrong user, password or virtual host, or a missing permission (reply codes 403 and 530).
        public static let accessRefused = Self(rawValue: "accessRefused")
        /// An open connection ended without a word, or the broker went silent.
        public static let connectionLost = Self(rawValue: "connectionLost")
        /// The broker closed the connection and said why in ``AMQPError/reply``.
        public static let connectionClosed = Self(rawValue: "connectionClosed")
        /// The broker closed a channel and said why in ``AMQPError/reply``.
        public static let channelClosed = Self(rawValue: "channelClosed")
        /// A queue or exchange does not exist (reply code 404).
        public static let notFound = Self(rawValue: "notFound")
        /// Another connection holds the queue exclusively (reply code 405).
        public static let resourceLocked = Self(rawValue: "resourceLocked")
        /// An object exists with other properties than the wanted ones (reply code 406).
        public static let preconditionFailed = Self(rawValue: "preconditionFailed")
        /// The broker cancelled a consumer, as it does when its queue is deleted.
        public static let consumerCancelled = Self(rawValue: "consumerCancelled")
        /// An answer did not come in time.
        public static let timedOut = Self(rawValue: "timedOut")
        /// The broker refused a publication (`basic.nack`) or returned it as unroutable.
        public static let publicationRefused = Self(rawValue: "publicationRefused")
        /// The broker sent something that AMQP 0-9-1 does not allow at this point.
        public static let protocolViolation = Self(rawValue: "protocolViolation")
        /// The consumer or publisher was closed.
        public static let closed = Self(rawValue: "closed")
    }

    /// A reply code and text as the broker sent them (AMQP 0-9-1, section 1.2 of the generated reference).
    public struct Reply: Sendable, Hashable, CustomStringConvertible {
        public let code: UInt16
        public let text: String

        public init(code: UInt16, text: String) {
            self.code = code
            self.text = text
        }

        public var description: String { "\(code) \(text)" }
    }

    public let code: Code
    /// What was attempted and what came of it, for people.
    public let message: String
    /// The broker's own words, where it said anything.
    public let reply: Reply?

    public init(_ code: Code, _ message: String, reply: Reply? = nil) {
        self.code = code
        self.message = message
        self.reply = reply
    }

    /// Whether the same attempt may succeed later without anybody changing a setting or an object.
    public var isRetriable: Bool {
        switch code {
        case .invalidConfiguration, .tlsFailed, .accessRefused, .notFound, .preconditionFailed, .closed: false
        default: true
        }
    }

    public var description: String {
        guard let reply else { return message }
        return "\(message): \(reply)"
    }
}
