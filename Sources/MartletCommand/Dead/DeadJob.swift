import AMQPClient
import Contract
import DeliveryPipeline
import PushModel

/// A message in the dead-letter queue. A message that is not a valid job may have no id or app.
struct DeadJob {
    let delivery: AMQPDelivery
    let id: String?
    let app: String?
    /// The lane that the job was published to, or `nil` if its routing key is not a lane.
    let lane: Lane?
    let reason: String

    init(_ delivery: AMQPDelivery) {
        self.delivery = delivery
        let headers = delivery.properties.headers
        (id, app) = Self.names(in: delivery)
        // A worker dead-letters a job under its lane, or under the publisher's routing key if that is not a lane.
        lane = headers[JobHeader.reason] == nil ? Lane(of: delivery) : Lane(rawValue: delivery.routingKey)
        reason = headers[JobHeader.reason]?.string ?? Drop(of: delivery).reason
    }

    /// The name of the lane, or the routing key if it is not a lane.
    var laneName: String { lane?.rawValue ?? delivery.routingKey }

    /// Returns the job's id and app, cut to 1,000 bytes each, or `nil` for a value that can't be read.
    private static func names(in delivery: AMQPDelivery) -> (id: String?, app: String?) {
        func name(_ text: String?) -> String? { text.flatMap { $0.isEmpty ? nil : $0.cut(toBytes: 1_000) } }
        do throws(JobRejection) {
            // With a limit of zero, no recipients are kept in memory. There may be a million of them.
            let job = try JobDecoder.decode(
                (try? delivery.content()) ?? delivery.body, messageID: delivery.properties.messageID,
                limits: JobLimits(recipients: 0),
                makeID: { "" })
            return (name(job.id), name(job.app))
        } catch {
            return (name(error.jobID), name(error.app))
        }
    }

    /// Returns the publication that replays the job. The headers for the reason, the attempt, the first attempt and the
    /// lane are removed. The publication still identifies the job's publisher.
    func replayed(to lane: Lane, names: PipelineNames, user: String?) -> AMQPPublication {
        var properties = delivery.properties.ofHeldEvent(worker: user) ?? delivery.properties.carried
        // If no worker gave a reason, the broker itself dead-lettered the message, and a worker may already have
        // claimed the job. With the header `deliveredBefore`, the replayed job is not dropped as a duplicate.
        if properties.headers[JobHeader.reason] == nil {
            properties.headers[JobHeader.deliveredBefore] = true
            if Drop(of: delivery).wasDelivered { properties.headers[JobHeader.redelivered] = true }
        }
        for header in [JobHeader.reason, JobHeader.attempt, JobHeader.firstAttempt, JobHeader.lane] {
            properties.headers[header] = nil
        }
        properties.sign(as: user, for: delivery.properties.publisher(worker: user))
        return AMQPPublication(
            id: 0, exchange: names.jobs, routingKey: lane.rawValue, isMandatory: true,
            properties: properties, body: delivery.body)
    }
}
