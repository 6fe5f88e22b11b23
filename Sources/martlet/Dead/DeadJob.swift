import AMQPClient
import DeliveryPipeline
import Foundation
import PushModel

/// A message in the dead-letter queue, as far as it can be read.
struct DeadJob {
    let delivery: AMQPDelivery
    let id: String?
    let app: String?
    let lane: Lane
    let reason: String
    /// Given up by the broker after too many deliveries, rather than refused by a worker: some of it may have been sent.
    let wasDelivered: Bool

    init(_ delivery: AMQPDelivery) {
        self.delivery = delivery
        let headers = delivery.properties.headers
        let body = (try? JSONSerialization.jsonObject(with: Data(delivery.body))) as? [String: Any]
        id = body?["id"] as? String ?? delivery.properties.messageID
        app = body?["app"] as? String
        let key = delivery.routingKey
        let lane = Lane.allCases.first { key == $0.rawValue || key.hasSuffix(".\($0.rawValue).overflow") }
        self.lane = lane ?? headers[JobHeader.lane]?.string.flatMap(Lane.init(rawValue:)) ?? .normal
        if let reason = headers[JobHeader.reason]?.string {
            (self.reason, wasDelivered) = (reason, false)
        } else if headers["x-first-death-reason"]?.string != nil {
            (reason, wasDelivered) = ("delivered too often without being settled", true)
        } else {
            (reason, wasDelivered) = ("no lane \"\(key)\"", false)
        }
    }

    /// The job as if it had just been published; what is known of its publisher stays.
    func replayed(to lane: Lane?, names: PipelineNames, user: String?) -> AMQPPublication {
        var properties = delivery.properties
        properties.headers = properties.headers.withoutBrokerMarks
        for header in [JobHeader.reason, JobHeader.attempt, JobHeader.firstAttempt, JobHeader.lane] {
            properties.headers[header] = nil
        }
        if wasDelivered {
            properties.headers[JobHeader.redelivered] = true
            properties.headers[JobHeader.deliveredBefore] = true
        }
        properties.sign(as: user, for: properties.publisher(worker: user))
        properties.deliveryMode = .persistent
        return AMQPPublication(
            id: 0, exchange: names.jobs, routingKey: (lane ?? self.lane).rawValue, isMandatory: true,
            properties: properties, body: delivery.body)
    }
}
