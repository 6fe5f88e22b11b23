internal import PushSimulator

extension ControlMessage {
    struct Key: ControlBody {
        let key: TokenKey

        enum CodingKeys: String, CodingKey, CaseIterable {
            case team, keyID = "key_id", pem, environments, topics, relatedKeyID = "related_key_id"
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            var key = try TokenKey(
                team: try container.decode(String.self, forKey: .team),
                keyID: try container.decode(String.self, forKey: .keyID),
                // The PEM contains either a public key or the private key of a `.p8` file.
                pem: try container.decode(String.self, forKey: .pem))
            key.scope.topics = Set(try container.decodeIfPresent([String].self, forKey: .topics) ?? [])
            key.scope.relatedKeyID = try container.decodeIfPresent(String.self, forKey: .relatedKeyID)
            if let names = try container.decodeIfPresent([String].self, forKey: .environments) {
                key.scope.environments = Set(try names.map(Self.environment))
            }
            self.key = key
        }

        private static func environment(_ name: String) throws -> SimulatorConfiguration.Environment {
            guard let environment = SimulatorConfiguration.Environment(rawValue: name) else {
                throw SimulatorError("environments: '\(name)' is neither production nor sandbox")
            }
            return environment
        }
    }

    /// The body of a request to refuse a key: `{"key_id": "…", "reason": "InvalidProviderToken", "topics": []}`. If the
    /// reason is missing, the key is accepted again.
    struct RefusedKey: ControlBody {
        let keyID: String
        let refusal: KeyRefusal?

        enum CodingKeys: String, CodingKey, CaseIterable {
            case keyID = "key_id", reason, topics
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            keyID = try container.decode(String.self, forKey: .keyID)
            let topics = try container.decodeIfPresent([String].self, forKey: .topics)
            guard let name = try container.decodeIfPresent(String.self, forKey: .reason) else {
                if topics != nil { throw SimulatorError("reason: required if there are topics") }
                refusal = nil
                return
            }
            guard let reason = RejectionReason(rawValue: name) else {
                throw SimulatorError("reason: '\(name)' is not a reason that APNs defines")
            }
            refusal = KeyRefusal(reason, topics: Set(topics ?? []))
        }
    }
}
