import AMQPClient
import Contract
import DeliveryPipeline
import PushModel
import Store
import Foundations
import Routing

/// A stub of the broker, the database and the clock that only records the effects of the core.
final class EffectsRecorder: Sendable {
    struct Timer: Sendable {
        let timer: PipelineTimer
        let milliseconds: Int
        let work: @Sendable () -> Void

        var isForCompany: Bool { if case .company = timer { true } else { false } }
        var isForPrefetch: Bool { if case .prefetch = timer { true } else { false } }
        var isForPace: Bool { if case .rateLimits = timer { true } else { false } }
        var isForPriority: Bool { if case .priority = timer { true } else { false } }
        var isForMarks: Bool { if case .marks = timer { true } else { false } }
        var isRefusal: Bool { if case .refusal = timer { true } else { false } }
        var isForLookUpOrClaims: Bool {
            switch timer {
            case .lookUp, .claims: true
            default: false
            }
        }
    }

    struct Record: Sendable {
        var published: [AMQPPublication] = []
        var acknowledgements: [AMQPAcknowledgement] = []
        var rejected: [AMQPDeliveryTag] = []
        var prefetches: [(prefetch: Int, queue: JobQueue)] = []
        var priorities: [Int32] = []
        var released: [AMQPDeliveryTag] = []
        var claims: [Claims.Batch] = []
        var marks: [MarkBuffer.Batch] = []
        var lookUps: [LookupBuffer.Lookup] = []
        var timers: [Timer] = []
        var drained = 0
        var now = Timestamp(seconds: 1_800_000_000)
        var snapshot: Snapshot
        var workers: Int? = 1
    }

    private let record: Mutex<Record>

    init(snapshot: Snapshot) {
        record = Mutex(Record(snapshot: snapshot))
    }

    func withRecord<R: Sendable>(_ body: (inout sending Record) -> sending R) -> R { record.withLock(body) }

    var effects: PipelineEffects {
        PipelineEffects(
            publish: { publications in self.withRecord { $0.published += publications } },
            acknowledge: { acknowledgements in
                self.withRecord { $0.acknowledgements += acknowledgements }
            },
            reject: { tag in self.withRecord { $0.rejected.append(tag) } },
            setPrefetch: { prefetch, queue in self.withRecord { $0.prefetches.append((prefetch, queue)) } },
            setPriority: { priority in self.withRecord { $0.priorities.append(priority) } },
            release: { delivery in self.withRecord { $0.released.append(delivery.tag) } },
            write: { batch in self.withRecord { $0.marks.append(batch) } },
            claim: { batch in self.withRecord { $0.claims.append(batch) } },
            lookUp: { lookUp in self.withRecord { $0.lookUps.append(lookUp) } },
            wait: { timer, milliseconds, work in
                self.withRecord { $0.timers.append(Timer(timer: timer, milliseconds: milliseconds, work: work)) }
            },
            snapshot: { self.withRecord { $0.snapshot } },
            workers: { self.withRecord { $0.workers } },
            now: { self.withRecord { $0.now } })
    }
}
