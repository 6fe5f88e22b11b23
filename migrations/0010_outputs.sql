-- A credential is of one output and of one of its accounts, and an app has an account with each output that needs one.
-- What there is already is of Apple's push service, which calls an account a team.

LOCK TABLE martlet.apps, martlet.credentials IN ACCESS EXCLUSIVE MODE;

ALTER TABLE martlet.credentials RENAME COLUMN team TO account;
ALTER TABLE martlet.credentials ADD COLUMN output text NOT NULL DEFAULT 'apns';
ALTER TABLE martlet.credentials ALTER COLUMN output DROP DEFAULT;

-- A secret is whatever its output reads by itself; only certificates are always limited to topics.
ALTER TABLE martlet.credentials DROP CONSTRAINT credentials_kind_check,
    ADD CONSTRAINT credentials_kind_check CHECK (kind IN ('token', 'certificate', 'secret'));
DO $$
DECLARE
    old record;
BEGIN
    -- PostgreSQL has named it; one of the user's own stays
    FOR old IN SELECT conname FROM pg_constraint
        WHERE conrelid = 'martlet.credentials'::regclass AND contype = 'c'
            AND pg_get_constraintdef(oid) = 'CHECK (((kind = ''token''::text) OR (cardinality(topics) > 0)))'
    LOOP
        EXECUTE format('ALTER TABLE martlet.credentials DROP CONSTRAINT %I', old.conname);
    END LOOP;
END $$;
ALTER TABLE martlet.credentials ADD CONSTRAINT credentials_topics_check
    CHECK (kind <> 'certificate' OR cardinality(topics) > 0);

DROP INDEX martlet.credentials_imported_once;
CREATE UNIQUE INDEX credentials_imported_once ON martlet.credentials (output, fingerprint) WHERE state <> 'retired';

CREATE TABLE martlet.app_accounts (
    app        text NOT NULL REFERENCES martlet.apps ON DELETE CASCADE,
    output     text NOT NULL,
    -- the service's own name for it
    account    text NOT NULL,
    -- goes before every other credential of the account
    credential uuid CONSTRAINT app_accounts_credential_fkey REFERENCES martlet.credentials,
    PRIMARY KEY (app, output)
);

INSERT INTO martlet.app_accounts (app, output, account, credential)
    SELECT bundle_id, 'apns', team, credential FROM martlet.apps;

ALTER TABLE martlet.apps DROP COLUMN team, DROP COLUMN credential;

CREATE TRIGGER announce AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON martlet.app_accounts
    FOR EACH STATEMENT EXECUTE FUNCTION martlet.announce();
CREATE TRIGGER audit AFTER INSERT OR UPDATE OR DELETE ON martlet.app_accounts
    FOR EACH ROW EXECUTE FUNCTION martlet.write_audit('app');
CREATE TRIGGER audit_truncate AFTER TRUNCATE ON martlet.app_accounts
    FOR EACH STATEMENT EXECUTE FUNCTION martlet.write_audit('app');

-- As in 0003, for one output's key under the same names.
CREATE OR REPLACE FUNCTION martlet.lock_key(credential uuid) RETURNS SETOF uuid
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT same.id FROM martlet.credentials AS mine JOIN martlet.credentials AS same
        ON (same.output, same.fingerprint, same.account) = (mine.output, mine.fingerprint, mine.account)
            AND same.key_id IS NOT DISTINCT FROM mine.key_id
    WHERE mine.id = credential ORDER BY same.id FOR NO KEY UPDATE OF same
$$;

-- As in 0008, but only Apple's device tokens are hex: another output's token is another one where a letter is.
CREATE OR REPLACE FUNCTION martlet.register_token(
    app text, token text, registered_at timestamptz DEFAULT now(),
    environment martlet.environment DEFAULT 'production', output text DEFAULT 'apns'
) RETURNS void LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    digits text := CASE WHEN $5 = 'apns' THEN regexp_replace($2, '[<> ]', '', 'g') END;
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

REVOKE ALL ON martlet.app_accounts FROM PUBLIC;
INSERT INTO martlet.grants (role, object, privileges) VALUES
    ('martlet_worker', 'martlet.app_accounts', 'SELECT'),
    ('martlet_operator', 'martlet.app_accounts', 'SELECT, INSERT, UPDATE, DELETE');
SELECT martlet.apply_grants();
