-- Addresses of any length, without a kilobyte of each in the primary key's index: a long one is whole in a column of its
-- own, and the key has its hash. No row is looked at or written anew.

ALTER TABLE martlet.device_tokens
    -- where it is filed under its hash
    ADD COLUMN address text COLLATE "C";

-- What an address is filed under. One that looks like such a hash is filed as a long one, so none is taken for another.
-- Everybody may call it who may use the schema: whoever may call register_token calls this, too, and it reads nothing.
CREATE FUNCTION martlet.token_key(address text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT CASE WHEN octet_length(utf8) <= 200 AND NOT starts_with(address, 'sha256:') THEN address
        ELSE 'sha256:' || translate(encode(sha256(utf8), 'base64'), '+/=', '-_') END
    FROM (SELECT convert_to(address, 'UTF8') AS utf8) AS encoded
$$;

-- As in 0004, but whole addresses.
CREATE OR REPLACE VIEW martlet.dead_tokens AS
    SELECT output, app, environment, coalesce(address, token) AS token, registered_at, unregistered_at, marked_at, reason
    FROM martlet.device_tokens WHERE unregistered_at IS NOT NULL;

-- As in 0010, but for addresses of any length.
CREATE OR REPLACE FUNCTION martlet.register_token(
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
            MESSAGE = format('registered_at: %s is %s', $3, CASE WHEN $3 > now() THEN 'in the future' ELSE 'invalid' END),
            HINT = 'registered_at is the time at which the app reported the token. Check that it is in seconds.';
    END IF;
    INSERT INTO martlet.device_tokens AS old (output, app, environment, token, address, registered_at)
    VALUES ($5, $1, $4, filed, nullif(whole, filed), $3)
    ON CONFLICT (output, app, environment, token) DO UPDATE SET
        registered_at = excluded.registered_at,
        unregistered_at = CASE
            WHEN old.unregistered_at > excluded.registered_at AND old.unregistered_at < '10000-01-01T00:00:00Z'
            THEN old.unregistered_at END,
        marked_at = CASE
            WHEN old.unregistered_at > excluded.registered_at AND old.unregistered_at < '10000-01-01T00:00:00Z'
            THEN CASE
                WHEN old.marked_at > '-infinity' AND old.marked_at < '10000-01-01T00:00:00Z' THEN old.marked_at
                ELSE now() END END,
        reason = CASE
            WHEN old.unregistered_at > excluded.registered_at AND old.unregistered_at < '10000-01-01T00:00:00Z'
            THEN old.reason END
    WHERE excluded.registered_at > coalesce(
        CASE WHEN old.registered_at < '10000-01-01T00:00:00Z' THEN old.registered_at END, '-infinity');
END $$;
