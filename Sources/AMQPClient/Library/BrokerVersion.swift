/// The major and minor version of RabbitMQ.
package struct BrokerVersion: Comparable, Sendable {
    package let major, minor: Int

    package init(major: Int, minor: Int) {
        (self.major, self.minor) = (major, minor)
    }

    /// Parses a version such as `4.3.0-rc.1`. Returns `nil` if the text does not begin with two numbers.
    package init?(_ text: String) {
        let parts = text.split(separator: ".").prefix(2).map { Int($0) }
        guard parts.count == 2, let major = parts[0], let minor = parts[1] else { return nil }
        self.init(major: major, minor: minor)
    }

    package static func < (left: Self, right: Self) -> Bool { (left.major, left.minor) < (right.major, right.minor) }
}
