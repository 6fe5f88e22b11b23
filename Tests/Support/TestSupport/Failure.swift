/// An error in the test environment, such as a server that does not start.
package struct Failure: Error, CustomStringConvertible {
    package let description: String

    package init(description: String) { self.description = description }
}
