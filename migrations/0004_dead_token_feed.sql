-- Dead tokens as a feed, registration by SQL, and storage for 100 million rows.

-- An app hands its token in at every launch: room in a page keeps that update off the indexes (HOT). Pages must be
-- marked all-visible for counts and feeds by index alone, so inserts call for vacuum as updates do.
ALTER TABLE martlet.device_tokens SET (fillfactor = 90, autovacuum_vacuum_insert_scale_factor = 0.02);

-- Whoever writes marks holds a shared lock, named after the second in which it began, until its transaction ends.
-- marked_at is read after that from the same clock. So no mark that is still to be committed is older than the
-- oldest such second, and none that begins later is older than now.
CREATE FUNCTION martlet.begin_marking() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    -- the first number is "mart" in ASCII
    PERFORM pg_advisory_xact_lock_shared(1835102836, floor(extract(epoch FROM clock_timestamp()))::bigint::bit(32)::int);
    RETURN NULL;
END $$;

CREATE TRIGGER begin_marking BEFORE INSERT OR UPDATE ON martlet.device_tokens
    FOR EACH STATEMENT EXECUTE FUNCTION martlet.begin_marking();

-- The time before which every mark is committed, and seen by the statements that follow.
CREATE FUNCTION martlet.marks_complete_until() RETURNS timestamptz LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    -- before the look at the locks: who takes one after it marks later than this
    present timestamptz := clock_timestamp();
    oldest bigint;
BEGIN
    SELECT min(objid::bigint) INTO oldest FROM pg_locks
    WHERE locktype = 'advisory' AND classid = 1835102836 AND objsubid = 2
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database());
    RETURN date_trunc('milliseconds', least(present, to_timestamp(oldest)));
END $$;

-- What is known to be dead. A row leaves when its token registers again.
CREATE VIEW martlet.dead_tokens AS
    SELECT output, app, environment, token, registered_at, unregistered_at, marked_at, reason
    FROM martlet.device_tokens WHERE unregistered_at IS NOT NULL;

-- For triggers on a device table of one's own: notes that an app has handed in a token.
CREATE FUNCTION martlet.register_token(
    app text, token text, registered_at timestamptz DEFAULT now(),
    environment martlet.environment DEFAULT 'production', output text DEFAULT 'apns'
) RETURNS void LANGUAGE sql AS $$
    INSERT INTO martlet.device_tokens AS old (output, app, environment, token, registered_at)
    VALUES ($5, $1, $4, CASE WHEN $2 ~ '^[0-9A-Fa-f]+$' THEN lower($2) ELSE $2 END, $3)
    ON CONFLICT (output, app, environment, token) DO UPDATE SET
        registered_at = excluded.registered_at,
        unregistered_at = CASE WHEN old.unregistered_at > excluded.registered_at THEN old.unregistered_at END,
        marked_at = CASE WHEN old.unregistered_at > excluded.registered_at THEN old.marked_at END,
        reason = CASE WHEN old.unregistered_at > excluded.registered_at THEN old.reason END
    WHERE excluded.registered_at > coalesce(old.registered_at, '-infinity')
$$;

REVOKE ALL ON FUNCTION martlet.marks_complete_until, martlet.register_token FROM PUBLIC;

INSERT INTO martlet.grants (role, object, privileges) VALUES
    ('martlet_worker', 'FUNCTION martlet.marks_complete_until', 'EXECUTE'),
    ('martlet_operator', 'FUNCTION martlet.marks_complete_until', 'EXECUTE'),
    ('martlet_operator', 'martlet.dead_tokens', 'SELECT'),
    ('martlet_operator', 'FUNCTION martlet.register_token', 'EXECUTE');
SELECT martlet.apply_grants();
