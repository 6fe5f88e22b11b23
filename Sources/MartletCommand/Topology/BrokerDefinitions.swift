import AMQPClient

/// The part of RabbitMQ's definitions format that Martlet uses (rabbitmq.com, "Definitions").
struct BrokerDefinitions: Encodable {
    struct Exchange: Encodable {
        let name: String
        let vhost: String
        let type: String
        let durable = true
        let autoDelete = false
        let `internal` = false
        let arguments: Arguments
    }

    struct Queue: Encodable {
        let name: String
        let vhost: String
        let durable = true
        let autoDelete = false
        let arguments: Arguments
    }

    struct Binding: Encodable {
        let source: String
        let vhost: String
        let destination: String
        let destinationType = "queue"
        let routingKey: String
        let arguments: Arguments
    }

    /// A user who can't log in with a password, because the hash is empty.
    struct User: Encodable {
        let name: String
        let passwordHash = ""
        let hashingAlgorithm = "rabbit_password_hashing_sha256"
        let tags = ""
    }

    struct Permission: Encodable {
        let user: String
        let vhost: String
        let configure: String
        let write: String
        let read: String
    }

    struct Arguments: Encodable {
        private struct Name: CodingKey {
            let stringValue: String
            let intValue: Int? = nil
            init(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { return nil }
        }

        let table: AMQPFieldTable

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Name.self)
            for entry in table.entries {
                let name = Name(stringValue: entry.key)
                if let number = entry.value.integer {
                    try container.encode(number, forKey: name)
                } else {
                    try container.encode(entry.value.string ?? "", forKey: name)
                }
            }
        }
    }

    let exchanges: [Exchange]
    let queues: [Queue]
    let bindings: [Binding]
    let users: [User]?
    let permissions: [Permission]?
}
