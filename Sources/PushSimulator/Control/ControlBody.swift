/// A JSON object in a control request. Its fields are known in advance.
public protocol ControlBody: Decodable, Sendable {
    associatedtype CodingKeys: CodingKey & CaseIterable
}
