/* What keeps a job from being lost, and from being sent twice where it must not be: claims, redelivery, splitting, moving and
 * waiting in the broker, by two workers that may die at every step, with a database that comes and goes and a broker whose
 * confirms get lost. `make check` explores every order of events; docs/torture.md says how to read what it finds.
 *
 * A job, by how it is to be sent:
 *   ONCE   at_most_once, with one recipient, published twice
 *   SPLIT  at_most_once, split into a chunk for each of two recipients, published twice
 *   PLAIN  neither: split under a name of its own; never lost, and doubled only by a death or a lost confirm
 *
 * Each rule can be taken out (-DWITHOUT_…), and then something breaks:
 *   CLAIM        a name is claimed before anything is sent under it
 *   AGAIN        what comes again is not taken for a copy of itself
 *   BEFORE       what is moved after it came again says so
 *   RENAME       what is moved after it was claimed gets a new name
 *   PASS         the claim of what waits in the broker passes to what it was published again as, and passes once
 *   UNANSWERED   what has asked in vain is not taken for a copy: its own statement may be committed late
 *   NAME         a job that is split twice makes chunks of the same names
 *   SETTLE       a message is acknowledged only when what became of it is safe
 */
#ifndef CRASHES
#define CRASHES 2
#endif
#ifndef LOSSES
#define LOSSES 1 /* confirms and answers that get lost */
#endif
#ifndef MOVES
#define MOVES 1  /* drains, full lanes, paused apps */
#endif
#ifndef HOLDS
#define HOLDS 1  /* waits in the broker for want of an answer */
#endif
#define PLACES 8 /* for messages in the broker */
#define NAMES 16
#define JOB 1        /* the publisher's id; 2 and 3 name its chunks */
#define FIRST_NAME 4 /* made up by workers; 2n and 2n + 1 name the chunks of n */
#define BOTH 0       /* a message's recipients; else one of them, 1 or 2 */

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
byte holder[NAMES]; /* claims: a name's owner, 0 for none */
bool database = true;
byte ownerOf[2];    /* who asks just now, by worker */
/* A statement that is still tried for a job that waits in the broker by now. */
byte lateName, lateOwner, latePredecessor;
byte names = FIRST_NAME;
byte crashes = CRASHES, losses = LOSSES, moves = MOVES, holds = HOLDS;

/* What is checked: how often each recipient was sent to, and whether an outcome was told, `unknown` being one. */
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

/* Runs the statement: who holds the name when it is committed. */
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

/* A UUID: the smallest number that nothing bears any more, so that histories that differ in no more are one state. */
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
    :: holds > 0 -> holds--; /* others are asked for, and it has waited for too long */
        publish(queue[i].kind, queue[i].name, queue[i].recipient, comesAgain, queue[i].predecessor);
        goto done
    fi;
#endif
    makeUpOwner()
    }; /* what others may do meanwhile */
    atomic {
    /* Committed and answered; committed, and the answer is lost; or the database is away. */
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
        goto granted /* a chunk goes on unclaimed */
#else
        if
        :: holds > 0 -> holds--;
            if
            :: lateName == 0 -> lateName = queue[i].name; lateOwner = owner; latePredecessor = queue[i].predecessor
            :: true /* its worker is told to stop */
            fi;
            publish(queue[i].kind, queue[i].name, queue[i].recipient, comesAgain, owner);
            goto done
        :: atomic { database -> claim() } /* the same owner asks again */
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
    :: moves > 0 -> moves--; /* its app is paused, or the worker stops */
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
    made = JOB; /* whatever the message is called by now */
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
    acknowledge(); /* as soon as it had come */
#else
    /* The broker hands out again what was not acknowledged. */
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
    /* Everything settles: where this is never reached, spin finds an invalid end state. */
    settled;
    assert(told[1]);
#if defined(PLAIN) || defined(SPLIT)
    assert(told[2])
#endif
}

/* At every moment. */
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
