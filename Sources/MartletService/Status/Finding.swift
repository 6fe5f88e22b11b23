/// Something that a person should know of, whose fault it is, and what to do.
package struct Finding: Sendable, Hashable, Encodable {
    /// In the order in which they are told: what is further up explains what is below.
    package enum Fault: String, Sendable, Hashable, Encodable, CaseIterable {
        case database
        case broker
        /// Who runs Martlet.
        case ours
        /// The way to a provider, or its end.
        case network
        case provider
        case consumer
        case publisher
    }

    package enum Weight: String, Sendable, Hashable, Encodable {
        /// Something is not delivered as it should be.
        case trouble
        /// Nothing is lost yet.
        case notice
    }

    package let fault: Fault
    package let weight: Weight
    package let text: String
    package let todo: String

    package init(_ fault: Fault, _ text: String, todo: String) { self.init(fault, .trouble, text, todo: todo) }

    package init(_ fault: Fault, _ weight: Weight, _ text: String, todo: String) {
        self.fault = fault
        self.weight = weight
        self.text = text
        self.todo = todo
    }
}
