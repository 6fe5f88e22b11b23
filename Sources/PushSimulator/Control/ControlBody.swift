/// A JSON object with known fields.
public protocol ControlBody: Decodable, Sendable {
    associatedtype CodingKeys: CodingKey & CaseIterable
}
