import Contract
package import DeliveryPipeline
package import Metering

extension PipelineCounts {
    package func add(to page: inout MetricPage) {
        page.add(.consuming, isConsuming ? 1 : 0)
        page.add(.publishing, isPublishing ? 1 : 0)
        for (queue, count) in received { page.add(.jobsReceived, [queue], count) }
        for (state, count) in [
            ("accepted", jobsAccepted), ("rejected", jobsRejected), ("held", jobsHeld),
            ("unclaimed", jobsUnclaimed), ("scattered", jobsSplit),
            ("scheduled", jobsScheduled), ("duplicate", jobsDuplicate), ("moved", jobsMoved),
            ("paced", jobsPaced), ("suspected", jobsSuspected), ("resumed", jobsResumed),
            ("acknowledged", jobsAcknowledged),
        ] {
            page.add(.jobStates, [state], count)
        }
        page.add(.jobsWaiting, jobsWaiting)
        page.add(.jobsOpen, jobsOpen)
        for (lane, arrival) in oldestArrivals { page.add(.oldestOpenJob, [lane], arrival) }
        for (exchange, count) in messagesRefused { page.add(.messagesRefused, [exchange], count) }
        for (state, count) in [("repeated", eventsRepeated), ("held", eventsHeld), ("dead", eventsDead)] {
            page.add(.events, [state], count)
        }
        page.add(.outcomesOpen, obligationsOpen)
        for kind in OutcomeKind.allCases { page.add(.outcomes, [kind.rawValue], outcomes[kind.rawValue] ?? 0) }
        for (role, isOpen) in links { page.add(.brokerConnected, [role], isOpen ? 1 : 0) }
        page.add(.brokerBlocked, isBlocked ? 1 : 0)
        page.add(.unconfirmed, unconfirmed)
        for (lane, used) in prefetch { page.add(.prefetchUsed, [lane], used) }
        for (role, held) in bytes { page.add(.bytesHeld, [role], held) }
        page.add(.marksPending, marksPending)
        page.add(.tokensMarked, tokensMarked)
        for (answer, count) in [("dead", lookUpsDead), ("live", lookUpsLive), ("none", lookUpsFailed)] {
            page.add(.lookUps, [answer], count)
        }
        page.add(.suppressionTokens, suppressionTokens)
        page.add(.suppressionBytes, suppressionBytes)
    }
}
