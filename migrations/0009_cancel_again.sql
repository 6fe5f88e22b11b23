-- Cancelling a job again renews its cancellation.

-- Cancels a job for as long as a new cancellation holds. Returns whether none was in force. Operators may not change rows;
-- they get the right to call this instead.
CREATE FUNCTION martlet.cancel_job(id text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    is_new boolean;
BEGIN
    -- over, though not cleared away yet: what follows is another one, perhaps by somebody else
    DELETE FROM martlet.cancelled_jobs WHERE job = id AND expires_at <= now();
    INSERT INTO martlet.cancelled_jobs (job) VALUES (id)
        ON CONFLICT (job) DO UPDATE SET expires_at = excluded.expires_at
        -- a row that was there before bears the number of the transaction that changes it
        RETURNING xmax = 0 INTO is_new;
    RETURN is_new;
END $$;

-- Workers are told of one that is over, too: they may not have noticed, and taking it back is to have its effect.
CREATE OR REPLACE FUNCTION martlet.note_cancellations() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    added   text[];
    removed text[];
    number  bigint;
BEGIN
    IF TG_OP IN ('INSERT', 'UPDATE') THEN
        SELECT array_agg(job) INTO added FROM new_rows;
    END IF;
    IF TG_OP IN ('DELETE', 'UPDATE') THEN
        SELECT array_agg(job) INTO removed FROM old_rows;
    END IF;
    IF added IS NULL AND removed IS NULL AND TG_OP <> 'TRUNCATE' THEN
        RETURN NULL;
    END IF;
    UPDATE martlet.cancellation_state SET version = version + 1,
        -- who follows loads everything anew
        forgotten = CASE WHEN TG_OP = 'TRUNCATE' THEN version + 1 ELSE forgotten END
    RETURNING version INTO number;
    INSERT INTO martlet.cancellation_changes (version, job, is_cancelled)
        SELECT number, job, false FROM unnest(removed) AS job
        UNION ALL SELECT number, job, true FROM unnest(added) AS job;
    RETURN NULL;
END $$;

REVOKE ALL ON FUNCTION martlet.cancel_job FROM PUBLIC;
INSERT INTO martlet.grants (role, object, privileges) VALUES
    ('martlet_operator', 'FUNCTION martlet.cancel_job', 'EXECUTE');
SELECT martlet.apply_grants();
