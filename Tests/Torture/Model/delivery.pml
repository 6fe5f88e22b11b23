/* A model of the rules that keep a job from being lost, and from being sent twice if that is not allowed: claims, redelivery,
 * splitting, moving and waiting in the broker. Two workers may crash at every step, the database may be unavailable, and the
 * broker's confirms may be lost. `make check` explores every order of events. docs/torture.md describes how to run it.
 *
 * A job is one of these:
 *   ONCE   at_most_once, with one recipient, published twice
 *   SPLIT  at_most_once, split into a chunk for each of two recipients, published twice
 *   PLAIN  without at_most_once, split under a name that the worker makes up; it is never lost, and sent twice only after a
 *          crash or a lost confirm
 *
 * Each rule can be removed (-DWITHOUT_…), and then an assertion fails:
 *   CLAIM        a name is claimed before anything is sent under it
 *   AGAIN        a redelivered message is not treated as a duplicate of itself
 *   BEFORE       a message that is moved after a redelivery is marked as delivered before
 *   RENAME       a message that is moved after it was claimed gets a new name
 *   PASS         the claim of a message that waits in the broker passes to its republished copy, and only once
 *   UNANSWERED   a message whose claim got no answer is not treated as a duplicate, as its own claim may be committed late
 *   NAME         a job that is split twice has chunks with the same names
 *   SETTLE       a message is acknowledged only when its outcomes are safe
 */
#ifndef CRASHES
#define CRASHES 2
#endif
#ifndef LOSSES
#define LOSSES 1 /* confirms and answers that are lost */
#endif
#ifndef MOVES
#define MOVES 1  /* republications by drains, full lanes and paused apps */
#endif
#ifndef HOLDS
#define HOLDS 1  /* waits in the broker because a claim got no answer */
#endif
#define PLACES 8 /* the most messages in the broker */
#define NAMES 16
#define JOB 1        /* the publisher's id; 2 and 3 name its chunks */
#define FIRST_NAME 4 /* the first name that workers make up; 2n and 2n + 1 name the chunks of n */
#define BOTH 0       /* both recipients of a message; 1 or 2 is one of them */

mtype = { whole, named, chunk };

typedef Message {
    bool used;
    bool isOut;       /* delivered and not acknowledged */
    bool redelivered; /* the broker's flag */
    bool before;      /* x-martlet-delivered-before */
    mtype kind;
    byte name;
    byte recipient;
    byte predecessor; /* x-martlet-claim */
}

Message queue[PLACES];
byte holder[NAMES]; /* the owner of a name's claim, or 0 */
bool database = true;
byte ownerOf[2];    /* the owner for whom each worker is making a claim */
/* A claim that a worker still tries to make although its job waits in the broker again. */
byte lateName, lateOwner, latePredecessor;
byte names = FIRST_NAME;
byte crashes = CRASHES, losses = LOSSES, moves = MOVES, holds = HOLDS;

/* The checked values: the number of pushes to each recipient, and whether an outcome, even `unknown`, was published. */
byte sent[3];
bool told[3];

inline place(aKind, aName, whom, wasBefore, whose) {
    atomic {
        free = 0;
        do
        :: free < PLACES && queue[free].used -> free++
        :: else -> break
        od;
        assert(free < PLACES);
        queue[free].used = true;
        queue[free].before = wasBefore;
        queue[free].kind = aKind;
        queue[free].name = aName;
        queue[free].recipient = whom;
        queue[free].predecessor = whose;
        free = 0
    }
}

/* A publisher that gets no confirm publishes again. */
inline publish(aKind2, aName2, whom2, wasBefore2, whose2) {
    atomic {
        place(aKind2, aName2, whom2, wasBefore2, whose2);
        if
        :: true
        :: losses > 0 -> losses--; place(aKind2, aName2, whom2, wasBefore2, whose2)
        fi
    };
    mayDie()
}

inline acknowledge() {
    atomic {
        queue[i].used = false;
        queue[i].isOut = false;
        queue[i].redelivered = false;
        queue[i].before = false;
        queue[i].kind = 0;
        queue[i].name = 0;
        queue[i].recipient = 0;
        queue[i].predecessor = 0
    }
}

inline mayDie() {
    if
    :: crashes > 0 -> crashes--; goto died
    :: true
    fi
}

inline send(whom) {
    if
    :: queue[i].recipient == BOTH || queue[i].recipient == whom -> sent[whom]++; mayDie()
    :: else
    fi
}

inline tell(whom) {
    if
    :: queue[i].recipient == BOTH || queue[i].recipient == whom -> told[whom] = true; mayDie()
    :: else
    fi
}

inline makeUpName() {
    atomic {
        made = names;
        names++;
        assert(made < 2 * FIRST_NAME)
    }
}

#define ready(n) (queue[n].used && !queue[n].isOut)
#define comesAgain (queue[i].redelivered || queue[i].before)
#ifdef WITHOUT_UNANSWERED
#define isCertainCopy (!comesAgain)
#else
#define isCertainCopy (!comesAgain && queue[i].predecessor == 0)
#endif

#define isKnown(o) ( \
    lateOwner == o || latePredecessor == o || ownerOf[0] == o || ownerOf[1] == o || holder[1] == o || holder[2] == o || holder[3] == o || holder[4] == o || \
    holder[5] == o || holder[6] == o || holder[7] == o || holder[8] == o || holder[9] == o || holder[10] == o || \
    holder[11] == o || holder[12] == o || holder[13] == o || holder[14] == o || holder[15] == o || \
    queue[0].predecessor == o || queue[1].predecessor == o || queue[2].predecessor == o || queue[3].predecessor == \
    o || queue[4].predecessor == o || queue[5].predecessor == o || queue[6].predecessor == o || \
    queue[7].predecessor == o)

/* Runs the statement of a claim. isMine is whether this owner holds the name when the statement is committed. */
inline claim() {
    if
    :: holder[queue[i].name] == 0 || holder[queue[i].name] == owner -> holder[queue[i].name] = owner; isMine = true
    :: holder[queue[i].name] != 0 && holder[queue[i].name] != owner && holder[queue[i].name] == queue[i].predecessor ->
#ifndef WITHOUT_PASS
        holder[queue[i].name] = owner;
#endif
        isMine = true
    :: else -> isMine = false
    fi
}

inline forget() { atomic { owner = 0; ownerOf[me] = 0; made = 0; isMine = false; answered = false; i = 0 } }

/* Makes an owner, which is a UUID in a worker. Here it is the smallest unused number, so that equal states stay equal. */
inline makeUpOwner() {
    atomic {
        owner = 1;
        do
        :: isKnown(owner) -> owner++
        :: else -> break
        od;
        ownerOf[me] = owner
    }
}

proctype Worker(byte me) {
    byte i, free, owner, made;
    bool answered, isMine;
end_idle:
    atomic {
    if
    :: ready(0) -> i = 0
    :: ready(1) -> i = 1
    :: ready(2) -> i = 2
    :: ready(3) -> i = 3
    :: ready(4) -> i = 4
    :: ready(5) -> i = 5
    :: ready(6) -> i = 6
    :: ready(7) -> i = 7
    fi;
    queue[i].isOut = true;
    mayDie();
    if
    :: true
    :: moves > 0 -> moves--;
#ifdef WITHOUT_BEFORE
        publish(queue[i].kind, queue[i].name, queue[i].recipient, false, queue[i].predecessor);
#else
        publish(queue[i].kind, queue[i].name, queue[i].recipient, comesAgain, queue[i].predecessor);
#endif
        goto done
    fi;
#ifdef PLAIN
    if
    :: queue[i].kind == named -> goto split
    :: queue[i].kind == whole ->
        makeUpName();
        publish(named, made, BOTH, false, 0);
        goto done
    :: else
    fi;
#endif
#ifdef WITHOUT_CLAIM
    goto granted;
#endif
#ifndef PLAIN
    if
    :: true
    :: holds > 0 -> holds--; /* the job has waited for too long while other claims were made */
        publish(queue[i].kind, queue[i].name, queue[i].recipient, comesAgain, queue[i].predecessor);
        goto done
    fi;
#endif
    makeUpOwner()
    }; /* other processes may run here */
    atomic {
    /* The claim is committed and answered; or it is committed, and the answer is lost; or the database is unavailable. */
    if
    :: atomic { database -> claim(); answered = true }
    :: atomic { database && losses > 0 -> losses--; claim(); answered = false }
    :: atomic { !database -> answered = false }
    fi;
    mayDie();
    if
    :: answered
    :: !answered ->
#ifdef PLAIN
        goto granted /* a chunk is sent without a claim */
#else
        if
        :: holds > 0 -> holds--;
            if
            :: lateName == 0 -> lateName = queue[i].name; lateOwner = owner; latePredecessor = queue[i].predecessor
            :: true /* the worker stops trying */
            fi;
            publish(queue[i].kind, queue[i].name, queue[i].recipient, comesAgain, owner);
            goto done
        :: atomic { database -> claim() } /* the same owner tries again */
        fi
#endif
    fi;
    if
    :: isMine
    :: else ->
#ifndef WITHOUT_AGAIN
        if
        :: isCertainCopy -> goto done
#ifdef PLAIN
        :: !isCertainCopy
#elif defined(SPLIT)
        :: !isCertainCopy && queue[i].kind == whole
        :: !isCertainCopy && queue[i].kind != whole -> goto unknown
#else
        :: !isCertainCopy -> goto unknown
#endif
        fi
#else
        goto done
#endif
    fi;
granted:
    if
    :: true
    :: moves > 0 -> moves--; /* the app is paused, or the worker drains */
#ifdef WITHOUT_RENAME
        publish(queue[i].kind, queue[i].name, queue[i].recipient, false, 0);
#else
        makeUpName();
        publish(queue[i].kind, made, queue[i].recipient, false, 0);
#endif
        goto done
    fi;
#ifdef SPLIT
    if
    :: queue[i].kind == whole -> goto split
    :: else
    fi;
#endif
    send(1);
    send(2);
unknown:
    tell(1);
    tell(2);
    goto done;
split:
#ifdef WITHOUT_NAME
    makeUpName();
#elif defined(SPLIT)
    made = JOB; /* the publisher's id, even if the message was renamed */
#else
    made = queue[i].name;
#endif
    publish(chunk, 2 * made, 1, false, 0);
    publish(chunk, 2 * made + 1, 2, false, 0);
    };
done:
    acknowledge();
    forget();
    goto end_idle;
died:
#ifdef WITHOUT_SETTLE
    acknowledge(); /* as on delivery */
#else
    /* The broker redelivers messages that were not acknowledged. */
    atomic { queue[i].isOut = false; queue[i].redelivered = true };
#endif
    forget();
    goto end_idle
}

proctype Database() {
    if
    :: true
    :: database = false; database = true
    fi;
end_late:
    do
    :: atomic { lateName != 0 ->
        if
        :: holder[lateName] == 0 || holder[lateName] == lateOwner ||
            (latePredecessor != 0 && holder[lateName] == latePredecessor) -> holder[lateName] = lateOwner
        :: else
        fi;
        lateName = 0; lateOwner = 0; latePredecessor = 0 }
    od
}

#define settled (!queue[0].used && !queue[1].used && !queue[2].used && !queue[3].used && \
    !queue[4].used && !queue[5].used && !queue[6].used && !queue[7].used)

init {
    byte free;
    atomic {
#ifdef PLAIN
        place(whole, JOB, BOTH, false, 0);
#elif defined(SPLIT)
        place(whole, JOB, BOTH, false, 0);
        place(whole, JOB, BOTH, false, 0);
#else
        place(whole, JOB, 1, false, 0);
        place(whole, JOB, 1, false, 0);
#endif
        run Worker(0);
        run Worker(1);
        run Database()
    };
    /* Every message settles. If this is never reached, spin reports an invalid end state. */
    settled;
    assert(told[1]);
#if defined(PLAIN) || defined(SPLIT)
    assert(told[2])
#endif
}

/* Checked at every step. */
#ifdef PLAIN
active proctype Monitor() {
end_watch:
    atomic { crashes == CRASHES && losses == LOSSES && database && (sent[1] > 1 || sent[2] > 1) -> assert(false) }
}
#else
active proctype Monitor() {
end_watch:
    atomic { sent[1] > 1 || sent[2] > 1 -> assert(false) }
}
#endif
