/// A part of the surroundings did not do what it should.
package struct Failure: Error, CustomStringConvertible {
    package let description: String

    package init(description: String) { self.description = description }
}
