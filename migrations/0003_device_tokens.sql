-- Device tokens, and when each of them died.

-- The known device tokens. A token is dead if `unregistered_at` is not null. Martlet does not send to dead tokens.
--
-- The table is designed for 100 million rows:
-- - Columns of fixed width come first, which avoids padding.
-- - The columns of a dead token are null while the token is valid, because a null takes no space.
-- - Texts are compared by their bytes (collation "C").
-- - An app registers its token at every launch. Free space in each page (fillfactor) keeps such an update out of the
--   indexes.
-- - Vacuum and analyze run after small changes. Vacuum also runs after inserts, so that counts and exports can use an
--   index alone.
CREATE TABLE martlet.device_tokens (
    -- The time at which an app last registered the token, or null if unknown.
    registered_at   timestamptz,
    -- The time at which the token died, according to its provider.
    unregistered_at timestamptz,
    -- The time at which the death was written to this row. Exports are in the order of this column.
    marked_at       timestamptz,
    environment     martlet.environment NOT NULL,
    output          text COLLATE "C" NOT NULL,
    app             text COLLATE "C" NOT NULL,
    -- The address of the device, or the hash of a long address. See `token_key`.
    token           text COLLATE "C" NOT NULL,
    -- The complete address if `token` is a hash, otherwise null.
    address         text COLLATE "C",
    -- The provider's reason for the death.
    reason          text COLLATE "C",
    PRIMARY KEY (output, app, environment, token),
    CHECK ((unregistered_at IS NULL) = (marked_at IS NULL)),
    CHECK (unregistered_at > registered_at),
    CONSTRAINT device_tokens_registered_at CHECK (
        registered_at > '-infinity' AND registered_at < '10000-01-01T00:00:00Z'),
    CONSTRAINT device_tokens_unregistered_at CHECK (
        unregistered_at > '-infinity' AND unregistered_at < '10000-01-01T00:00:00Z'),
    CONSTRAINT device_tokens_marked_at CHECK (
        marked_at > '-infinity' AND marked_at < '10000-01-01T00:00:00Z')
) WITH (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02,
    autovacuum_vacuum_insert_scale_factor = 0.02);

CREATE INDEX device_tokens_dead ON martlet.device_tokens (marked_at) WHERE unregistered_at IS NOT NULL;

-- Returns the value of the column `token` for an address. An address of up to 200 bytes is used unchanged, so that the
-- index of the primary key stays small. A longer address is replaced by its SHA-256. An address that looks like such a
-- hash is hashed too, so that the two cannot be confused.
--
-- All users of the schema may call this function, because `register_token` calls it with the rights of its caller.
CREATE FUNCTION martlet.token_key(address text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT CASE WHEN octet_length(utf8) <= 200 AND NOT starts_with(address, 'sha256:') THEN address
        ELSE 'sha256:' || translate(encode(sha256(utf8), 'base64'), '+/=', '-_') END
    FROM (SELECT convert_to(address, 'UTF8') AS utf8) AS encoded
$$;

-- Registers a token, for use in triggers on an application's own table of devices. A dead token becomes valid again if
-- it died before it was registered. An older registration than the known one is ignored. Tokens of `apns` are converted
-- to lower-case hex, without spaces and angle brackets.
CREATE FUNCTION martlet.register_token(
    app text, token text, registered_at timestamptz DEFAULT now(),
    environment martlet.environment DEFAULT 'production', output text DEFAULT 'apns'
) RETURNS void LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    digits text := CASE WHEN $5 = 'apns' THEN regexp_replace($2, '[<> ]', '', 'g') END;
    whole  text := CASE WHEN digits ~ '^[0-9A-Fa-f]+$' THEN lower(digits) ELSE $2 END;
    filed  text := martlet.token_key(whole);
BEGIN
    IF $3 = '-infinity' OR $3 > clock_timestamp() + interval '5 minutes' THEN
        RAISE datetime_field_overflow USING
            MESSAGE = format('registered_at: %s is %s', $3,
                CASE WHEN $3 > now() THEN 'in the future' ELSE 'invalid' END),
            HINT = 'registered_at is the time at which the app reported the token. Check that it is in seconds.';
    END IF;
    INSERT INTO martlet.device_tokens AS old (output, app, environment, token, address, registered_at)
    VALUES ($5, $1, $4, filed, nullif(whole, filed), $3)
    ON CONFLICT (output, app, environment, token) DO UPDATE SET
        registered_at = excluded.registered_at,
        unregistered_at = CASE WHEN old.unregistered_at > excluded.registered_at THEN old.unregistered_at END,
        marked_at = CASE WHEN old.unregistered_at > excluded.registered_at THEN old.marked_at END,
        reason = CASE WHEN old.unregistered_at > excluded.registered_at THEN old.reason END
    WHERE excluded.registered_at > coalesce(old.registered_at, '-infinity');
END $$;

-- The dead tokens, with complete addresses. A row disappears when its token is registered again.
CREATE VIEW martlet.dead_tokens AS
    SELECT output, app, environment, coalesce(address, token) AS token, registered_at, unregistered_at,
        marked_at, reason
    FROM martlet.device_tokens WHERE unregistered_at IS NOT NULL;

-- Takes a shared advisory lock until the end of a transaction that may write marks. The key of the lock is the second
-- in which the statement began. The statement reads `marked_at` from the same clock afterwards. Therefore no mark that
-- is not committed yet is older than the oldest locked second, and no later statement writes a mark older than now.
CREATE FUNCTION martlet.begin_marking() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    -- The first number consists of the bytes of "mart" in ASCII.
    PERFORM pg_advisory_xact_lock_shared(
        1835102836, floor(extract(epoch FROM clock_timestamp()))::bigint::bit(32)::int);
    RETURN NULL;
END $$;

CREATE TRIGGER begin_marking BEFORE INSERT OR UPDATE ON martlet.device_tokens
    FOR EACH STATEMENT EXECUTE FUNCTION martlet.begin_marking();

-- Returns a time before which all marks are committed and visible to subsequent statements.
CREATE FUNCTION martlet.marks_complete_until() RETURNS timestamptz LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    -- The clock is read before the locks. A transaction that takes a lock in between writes later marks than this.
    present timestamptz := clock_timestamp();
    oldest bigint;
BEGIN
    SELECT min(objid::bigint) INTO oldest FROM pg_locks
    WHERE locktype = 'advisory' AND classid = 1835102836 AND objsubid = 2
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database());
    RETURN date_trunc('milliseconds', least(present, to_timestamp(oldest)));
END $$;
