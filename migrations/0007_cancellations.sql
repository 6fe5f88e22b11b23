-- Cancellations are followed change by change, expire, are audited, and name whoever logged in.

ALTER TABLE martlet.cancelled_jobs
    -- later than any job can be scheduled, or wait
    ADD COLUMN expires_at timestamptz NOT NULL DEFAULT now() + interval '100 days';
UPDATE martlet.cancelled_jobs SET expires_at = cancelled_at + interval '100 days';
CREATE INDEX cancelled_jobs_expired ON martlet.cancelled_jobs (expires_at);

-- One row. Who changes cancellations holds it until the end of the transaction, so versions are committed in their
-- order: whoever has seen one has seen all before it.
CREATE TABLE martlet.cancellation_state (
    only_one  boolean PRIMARY KEY DEFAULT true CHECK (only_one),
    -- of the last change
    version   bigint NOT NULL DEFAULT 0,
    -- changes up to this one are not kept any more
    forgotten bigint NOT NULL DEFAULT 0
);
INSERT INTO martlet.cancellation_state DEFAULT VALUES;

-- For a day: what workers read to follow the table.
CREATE TABLE martlet.cancellation_changes (
    version      bigint NOT NULL,
    job          text NOT NULL,
    is_cancelled boolean NOT NULL,
    changed_at   timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX cancellation_changes_version ON martlet.cancellation_changes (version, is_cancelled);

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
        SELECT array_agg(job) INTO removed FROM old_rows WHERE expires_at > now();
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

CREATE TRIGGER note_insert AFTER INSERT ON martlet.cancelled_jobs
    REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION martlet.note_cancellations();
CREATE TRIGGER note_update AFTER UPDATE ON martlet.cancelled_jobs
    REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
    FOR EACH STATEMENT EXECUTE FUNCTION martlet.note_cancellations();
CREATE TRIGGER note_delete AFTER DELETE ON martlet.cancelled_jobs
    REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION martlet.note_cancellations();
CREATE TRIGGER note_truncate AFTER TRUNCATE ON martlet.cancelled_jobs
    FOR EACH STATEMENT EXECUTE FUNCTION martlet.note_cancellations();

CREATE TRIGGER audit AFTER INSERT OR UPDATE ON martlet.cancelled_jobs
    FOR EACH ROW EXECUTE FUNCTION martlet.write_audit('job');
-- that one expires is nobody's deed
CREATE TRIGGER audit_delete AFTER DELETE ON martlet.cancelled_jobs
    FOR EACH ROW WHEN (OLD.expires_at > now()) EXECUTE FUNCTION martlet.write_audit('job');
CREATE TRIGGER audit_truncate AFTER TRUNCATE ON martlet.cancelled_jobs
    FOR EACH STATEMENT EXECUTE FUNCTION martlet.write_audit('job');

-- Clears away what is out of date. Returns how many cancellations there were: call it until it returns 0.
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

REVOKE ALL ON martlet.cancellation_state, martlet.cancellation_changes FROM PUBLIC;
REVOKE ALL ON FUNCTION martlet.note_cancellations, martlet.forget_cancellations FROM PUBLIC;

-- Operators say which job and nothing else; who it was and when, the database writes.
DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'martlet_operator') THEN
        REVOKE INSERT ON martlet.cancelled_jobs FROM martlet_operator;
    END IF;
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'martlet_worker') THEN
        REVOKE DELETE ON martlet.cancelled_jobs FROM martlet_worker;
    END IF;
END $$;
UPDATE martlet.grants SET privileges = 'SELECT, INSERT (job), DELETE'
    WHERE (role, object) = ('martlet_operator', 'martlet.cancelled_jobs');
UPDATE martlet.grants SET privileges = 'SELECT'
    WHERE (role, object) = ('martlet_worker', 'martlet.cancelled_jobs');
INSERT INTO martlet.grants (role, object, privileges) VALUES
    ('martlet_worker', 'martlet.cancellation_state', 'SELECT'),
    ('martlet_worker', 'martlet.cancellation_changes', 'SELECT'),
    ('martlet_worker', 'FUNCTION martlet.forget_cancellations', 'EXECUTE');
SELECT martlet.apply_grants();
