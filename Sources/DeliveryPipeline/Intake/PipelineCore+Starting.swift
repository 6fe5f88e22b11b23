import PushModel

extension PipelineCore {
    /// Starts what may start, and moves out of the way what waits beyond its measure.
    func startJobs() {
        for (index, queue) in JobQueue.all.enumerated() where waiting[index].count > 0 {
            let now = now
            func mayStart(_ use: AppUse) -> Bool { self.mayStart(use, from: queue, at: now) }
            while freeRoom(for: queue) > 0, let job = waiting[index].next(where: mayStart) { start(job) }
            guard case .lane = queue else { continue }
            let rule = HoldingRule(
                places: configuration.prefetch(of: queue), bytes: configuration.prefetchBytes,
                chunkSize: configuration.chunkSize)
            let all = rule.waitingOfAll(queueUses[index].pace.inASecond(now: now))
            while let job = waiting[index].surplus(
                over: { rule.waiting($0.pace(queue, now: now)) }, all: all, where: mayStart)
            {
                counts.jobsOverflowed += 1
                move(job.inbound, to: .overflow)
            }
        }
    }

    private func mayStart(_ use: AppUse, from queue: JobQueue, at now: Timestamp) -> Bool {
        let share = AppShare(percent: configuration.appShare)
        let pace = use.pace(queue, now: now)
        guard share.allows(use.inFlight(beside: queue), free: freeRoom(for: queue)),
            use.inFlight(of: queue) < HoldingRule.inFlight(pace)
        else { return false }
        // All apps share a lane's prefetch, however few recipients their jobs have; more of it goes to who gives it back
        // within half a second.
        guard case .lane = queue, configuration.appShare < 100 else { return true }
        // At least one may: deliveries of a connection that was lost are open for a while, and take none of the prefetch.
        let free = max(1, configuration.prefetch(of: queue) - queueUses[queue.index].open)
        let open = use.openJobs(queue)
        return open < free || open < pace.jobs / 2 && share.allows(open, free: free)
    }

    /// A job of so many recipients is started, or, if they are negative, settled.
    func add(_ recipients: Int, to use: AppUse, from queue: JobQueue) {
        use.add(recipients, from: queue)
        queueUses[queue.index].open += recipients.signum()
    }

    /// Recipients that jobs of this queue may still bring in.
    private func freeRoom(for queue: JobQueue) -> Int {
        let room = configuration.maximumInFlight
        let kept = queue.isUrgent ? 0 : room * configuration.urgentShare / 100
        return room - kept - ledger.owing
    }

    // MARK: What the broker hands out of the overflow queues

    /// At the end of every turn: the beat goes on while something of them is here, or would be let in at once.
    func watchPrefetch() {
        var isToBeWatched = false
        for queue in JobQueue.overflows {
            let index = queue.index
            let held = queueUses[index].held
            if held > 0 || queueUses[index].prefetch?.isAtLeast == false { isToBeWatched = true }
            queueUses[index].prefetch?.holds(held)
        }
        guard isToBeWatched, !prefetchIsWatched, !isDraining else { return }
        prefetchIsWatched = true
        effects?.wait(PrefetchControl.milliseconds) { [self] in
            prefetchIsWatched = false
            for queue in JobQueue.overflows { adjustPrefetch(of: queue) }
            finishTurn()
        }
    }

    private func adjustPrefetch(of queue: JobQueue) {
        let index = queue.index
        let pace = queueUses[index].pace.inASecond(now: now).recipients
        let isSettling = queueUses[index].isSettling(now: now)
        let before = queueUses[index].prefetch?.prefetch ?? 0
        guard !isDraining,
            let prefetch = queueUses[index].prefetch?.beat(
                waiting: waiting[index].size.recipients, pace: pace, isSettling: isSettling)
        else { return }
        effects?.setPrefetch(prefetch, queue)
        guard prefetch < before else { return }
        // What was handed out too much goes back for others, once: no more of it comes.
        while waiting[index].size.recipients > max(pace, HoldingRule.leastInFlight), let job = waiting[index].newest() {
            move(job.inbound, to: .overflow)
        }
    }
}
