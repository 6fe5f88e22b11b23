-- Claims and cancellations of jobs. The jobs themselves are in the broker.

-- The names of started jobs and parts of jobs, for de-duplication. A claim is committed before its job is sent.
CREATE TABLE martlet.claims (
    -- A digest of the output, the app, and the name of the job or part.
    key        uuid PRIMARY KEY,
    -- The request that holds the claim. A worker can repeat the request if it did not receive the answer.
    owner      uuid NOT NULL,
    -- The first half of the SHA-256 of the job's body. Null for a part of a job, which is identified by its name alone.
    content    uuid,
    expires_at timestamptz NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0.05);

CREATE INDEX claims_expired ON martlet.claims (expires_at);

-- The cancelled jobs. Workers stop sending them.
CREATE TABLE martlet.cancelled_jobs (
    job          text PRIMARY KEY,
    cancelled_at timestamptz NOT NULL DEFAULT now(),
    cancelled_by text NOT NULL DEFAULT session_user,
    -- The end of the cancellation. No job can be scheduled or wait for longer than 100 days.
    expires_at   timestamptz NOT NULL DEFAULT now() + interval '100 days'
);

CREATE INDEX cancelled_jobs_expired ON martlet.cancelled_jobs (expires_at);

-- The version of the table `cancelled_jobs`, in a single row. A transaction that changes cancellations locks the row
-- until it ends, so that versions are committed in order. A worker that has read a version has read all earlier ones.
CREATE TABLE martlet.cancellation_state (
    only_one  boolean PRIMARY KEY DEFAULT true CHECK (only_one),
    -- The version of the last change.
    version   bigint NOT NULL DEFAULT 0,
    -- The last version whose changes may be missing from `cancellation_changes`.
    forgotten bigint NOT NULL DEFAULT 0
);

INSERT INTO martlet.cancellation_state DEFAULT VALUES;

-- The changes of the last day. Workers read them to keep up with `cancelled_jobs`.
CREATE TABLE martlet.cancellation_changes (
    version      bigint NOT NULL,
    job          text NOT NULL,
    is_cancelled boolean NOT NULL,
    changed_at   timestamptz NOT NULL DEFAULT now()
);

CREATE INDEX cancellation_changes_version ON martlet.cancellation_changes (version, is_cancelled);

-- Records the changes of a statement. The deletion of an expired cancellation is recorded too, because a worker may
-- still treat the job as cancelled.
CREATE FUNCTION martlet.note_cancellations() RETURNS trigger
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
        -- After TRUNCATE, workers must load the whole table again.
        forgotten = CASE WHEN TG_OP = 'TRUNCATE' THEN version + 1 ELSE forgotten END
    RETURNING version INTO number;
    INSERT INTO martlet.cancellation_changes (version, job, is_cancelled)
        SELECT number, job, false FROM unnest(removed) AS job
        UNION ALL SELECT number, job, true FROM unnest(added) AS job;
    RETURN NULL;
END $$;

CREATE TRIGGER note_insert AFTER INSERT ON martlet.cancelled_jobs
    REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION martlet.note_cancellations();
CREATE TRIGGER note_update AFTER UPDATE ON martlet.cancelled_jobs
    REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
    FOR EACH STATEMENT EXECUTE FUNCTION martlet.note_cancellations();
CREATE TRIGGER note_delete AFTER DELETE ON martlet.cancelled_jobs
    REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION martlet.note_cancellations();
CREATE TRIGGER note_truncate AFTER TRUNCATE ON martlet.cancelled_jobs
    FOR EACH STATEMENT EXECUTE FUNCTION martlet.note_cancellations();

CREATE TRIGGER announce AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON martlet.cancelled_jobs
    FOR EACH STATEMENT EXECUTE FUNCTION martlet.announce();

CREATE TRIGGER audit AFTER INSERT OR UPDATE ON martlet.cancelled_jobs
    FOR EACH ROW EXECUTE FUNCTION martlet.write_audit('job');
-- The deletion of an expired cancellation is not audited, because no operator requested it.
CREATE TRIGGER audit_delete AFTER DELETE ON martlet.cancelled_jobs
    FOR EACH ROW WHEN (OLD.expires_at > now()) EXECUTE FUNCTION martlet.write_audit('job');
CREATE TRIGGER audit_truncate AFTER TRUNCATE ON martlet.cancelled_jobs
    FOR EACH STATEMENT EXECUTE FUNCTION martlet.write_audit('job');

-- Cancels a job, or restarts the 100 days of its cancellation. Returns whether the job was not cancelled before.
-- Operators may call this function, although they must not update the table.
CREATE FUNCTION martlet.cancel_job(id text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    is_new boolean;
BEGIN
    -- An expired cancellation that was not deleted yet must not be renewed, because its user and time may differ.
    DELETE FROM martlet.cancelled_jobs WHERE job = id AND expires_at <= now();
    INSERT INTO martlet.cancelled_jobs (job) VALUES (id)
        ON CONFLICT (job) DO UPDATE SET expires_at = excluded.expires_at
        -- The column xmax of an inserted row is 0. In an updated row it contains this transaction's number.
        RETURNING xmax = 0 INTO is_new;
    RETURN is_new;
END $$;

-- Deletes changes that are older than a day and up to 10,000 expired cancellations. Returns the number of deleted
-- cancellations. To delete all of them, call the function until it returns 0.
CREATE FUNCTION martlet.forget_cancellations() RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    last bigint;
    gone bigint;
BEGIN
    WITH old AS (
        DELETE FROM martlet.cancellation_changes WHERE changed_at < now() - interval '1 day' RETURNING version)
    SELECT max(version) INTO last FROM old;
    IF last IS NOT NULL THEN
        UPDATE martlet.cancellation_state SET forgotten = greatest(forgotten, last);
    END IF;
    DELETE FROM martlet.cancelled_jobs WHERE ctid IN (
        SELECT ctid FROM martlet.cancelled_jobs WHERE expires_at <= now() LIMIT 10000 FOR UPDATE SKIP LOCKED);
    GET DIAGNOSTICS gone = ROW_COUNT;
    RETURN gone;
END $$;
