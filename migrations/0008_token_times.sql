-- Times of device tokens lie in a calendar, and nothing registers in the future.

-- Rows that exist are not looked at, which takes long where they are many: whoever reads them takes such a time for none,
-- and it goes when the row is next written.
ALTER TABLE martlet.device_tokens
    ADD CONSTRAINT device_tokens_registered_at CHECK (
        registered_at > '-infinity' AND registered_at < '10000-01-01T00:00:00Z') NOT VALID,
    ADD CONSTRAINT device_tokens_unregistered_at CHECK (
        unregistered_at > '-infinity' AND unregistered_at < '10000-01-01T00:00:00Z') NOT VALID,
    ADD CONSTRAINT device_tokens_marked_at CHECK (
        marked_at > '-infinity' AND marked_at < '10000-01-01T00:00:00Z') NOT VALID;

-- As in 0004, but for times that can't be meant, for a token in angle brackets, and for rows that hold such times.
CREATE OR REPLACE FUNCTION martlet.register_token(
    app text, token text, registered_at timestamptz DEFAULT now(),
    environment martlet.environment DEFAULT 'production', output text DEFAULT 'apns'
) RETURNS void LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    digits text := regexp_replace($2, '[<> ]', '', 'g');
BEGIN
    IF $3 = '-infinity' OR $3 > clock_timestamp() + interval '5 minutes' THEN
        RAISE datetime_field_overflow USING
            MESSAGE = format('registered_at: %s is %s', $3, CASE WHEN $3 > now() THEN 'in the future' ELSE 'invalid' END),
            HINT = 'registered_at is the time at which the app reported the token. Check that it is in seconds.';
    END IF;
    INSERT INTO martlet.device_tokens AS old (output, app, environment, token, registered_at)
    VALUES ($5, $1, $4, CASE WHEN digits ~ '^[0-9A-Fa-f]+$' THEN lower(digits) ELSE $2 END, $3)
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
