import PushModel
package import Store

/// What is known of rates at this moment, whoever is paced. A value.
package struct Pacing {
    package var paces = AppPaces.none
    /// Among how many each rate is divided; nil: not known.
    package var workers: Int?

    package init(paces: AppPaces = .none, workers: Int? = nil) {
        (self.paces, self.workers) = (paces, workers)
    }

    /// It may have to wait for a rate.
    func concerns(_ job: Job) -> Bool { job.rate != nil || paces[job.app] != nil }

    /// The lower one of its app's, where that counts, and its own.
    func rate(of job: Job, _ inbound: InboundJob, _ app: AppLoad) -> Int? {
        let appRate = app.isPaced(in: inbound.queue) ? app.pacer?.rate : nil
        return [appRate, job.rate].compactMap(\.self).min()
    }

    /// Most recipients of a chunk of the job, whose size is not fixed yet.
    func chunkSize(of job: Job, _ inbound: InboundJob, _ app: AppLoad, _ limit: Int) -> Int {
        guard let rate = self.rate(of: job, inbound, app) else { return limit }
        var pacer = Pacer(rate: rate)
        pacer.pass(to: Timestamp(milliseconds: 0), workers: workers)
        return min(limit, pacer.chunkSize)
    }
}
