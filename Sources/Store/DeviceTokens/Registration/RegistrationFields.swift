/// One line of a list of registrations, as text, before anything is checked.
struct RegistrationFields {
    static let names = ["token", "app", "environment", "registered_at", "output"]

    private var values: [String?] = Array(repeating: nil, count: names.count)

    /// Empty means that the line says nothing of it.
    mutating func set(_ place: Int, to value: String) { values[place] = value.isEmpty ? nil : value }

    var token: String? { values[0] }
    var app: String? { values[1] }
    var environment: String? { values[2] }
    var registeredAt: String? { values[3] }
    var output: String? { values[4] }
}

/// What is wrong with a line, naming the column.
package struct BadRegistration: Error, Hashable, CustomStringConvertible {
    package let description: String
}
