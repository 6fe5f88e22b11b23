/// The fields of one registration, as unchecked text from its line.
struct RegistrationFields {
    static let names = ["token", "app", "environment", "registered_at", "output"]

    private var values: [String?] = Array(repeating: nil, count: names.count)

    /// Sets a field. An empty value counts as a missing field.
    mutating func set(_ place: Int, to value: String) { values[place] = value.isEmpty ? nil : value }

    var token: String? { values[0] }
    var app: String? { values[1] }
    var environment: String? { values[2] }
    var registeredAt: String? { values[3] }
    var output: String? { values[4] }
}

/// The error of a line that is not a valid registration. The description names the invalid field, if it is known.
package struct BadRegistration: Error, Hashable, CustomStringConvertible {
    package let description: String
}
