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

    init(_ delivery: AMQPDelivery) {
        self.delivery = delivery
        let headers = delivery.properties.headers
        let body = (try? JSONSerialization.jsonObject(with: Data(delivery.body))) as? [String: Any]
        id = body?["id"] as? String ?? delivery.properties.messageID
        app = body?["app"] as? String
        lane = Lane(of: delivery)
        reason = headers[JobHeader.reason]?.string ?? Drop(of: delivery).reason
    }

    /// The job as if it had just been published; what is known of its publisher stays.
    func replayed(to lane: Lane?, names: PipelineNames, user: String?) -> AMQPPublication {
        var properties = delivery.properties.ofHeldEvent(worker: user) ?? delivery.properties.carried
        for header in [JobHeader.reason, JobHeader.attempt, JobHeader.firstAttempt, JobHeader.lane] {
            properties.headers[header] = nil
        }
        properties.sign(as: user, for: delivery.properties.publisher(worker: user))
        return AMQPPublication(
            id: 0, exchange: names.jobs, routingKey: (lane ?? self.lane).rawValue, isMandatory: true,
            properties: properties, body: delivery.body)
    }
}
