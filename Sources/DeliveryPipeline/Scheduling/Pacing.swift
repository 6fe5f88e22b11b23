import PushModel
import Store

/// What is known of rates at this moment, whoever is paced. A value.
struct Pacing {
    var paces = AppPaces.none
    /// Among how many each rate is divided; nil: not known.
    var workers: Int?

    /// It may have to wait for a rate.
    func concerns(_ job: Job) -> Bool { job.rate != nil || paces[job.app] != nil }

    /// Most recipients of a chunk of the job, whose size is not fixed yet.
    func chunkSize(of job: Job, _ inbound: InboundJob, _ app: AppLoad, _ limit: Int) -> Int {
        let appRate = app.isPaced(in: inbound.queue) ? app.pacer?.rate : nil
        guard let rate = [appRate, job.rate].compactMap(\.self).min() else { return limit }
        var pacer = Pacer(rate: rate)
        pacer.pass(to: Timestamp(milliseconds: 0), workers: workers)
        return min(limit, pacer.chunkSize)
    }
}
