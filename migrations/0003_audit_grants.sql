-- Who changed what on apps and credentials, the privileges of workers and operators, and no more of a state that
-- the table of refusals has replaced.

UPDATE martlet.credentials SET state = 'active' WHERE state = 'refused';
ALTER TABLE martlet.credentials DROP CONSTRAINT credentials_state_check,
    ADD CONSTRAINT credentials_state_check CHECK (state IN ('active', 'retired'));

-- Written by triggers only. Nobody but the owner of the schema may change or remove rows.
CREATE TABLE martlet.audit (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at          timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- who logged in, and what that user was set to by SET ROLE
    session_role text NOT NULL,
    set_role    text,
    application text NOT NULL,
    -- null: by a Unix socket
    address     inet,
    operation   text NOT NULL CHECK (operation IN ('insert', 'update', 'delete', 'truncate')),
    -- apps or credentials
    object      text NOT NULL,
    object_id   text,
    -- columns that are now others; of a secret that it is another one, and nothing more
    changed     text[] NOT NULL,
    old_row     jsonb,
    new_row     jsonb
);

CREATE INDEX audit_at ON martlet.audit (at);

-- Argument: the column with the row's name.
CREATE FUNCTION martlet.write_audit() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    unseen  CONSTANT text[] := ARRAY['sealed_secret', 'certificate_chain'];
    old_row jsonb := CASE WHEN TG_OP IN ('UPDATE', 'DELETE') THEN to_jsonb(OLD) END;
    new_row jsonb := CASE WHEN TG_OP IN ('UPDATE', 'INSERT') THEN to_jsonb(NEW) END;
    changed text[];
BEGIN
    SELECT coalesce(array_agg(key ORDER BY key), '{}') INTO changed
    FROM jsonb_object_keys(coalesce(new_row, old_row, '{}')) AS key
    WHERE CASE WHEN TG_OP = 'UPDATE' THEN key <> 'updated_at' AND old_row -> key IS DISTINCT FROM new_row -> key
        ELSE key <> ALL (unseen) END;
    IF TG_OP = 'UPDATE' AND changed = '{}' THEN
        RETURN NULL;
    END IF;
    INSERT INTO martlet.audit
        (session_role, set_role, application, address, operation, object, object_id, changed, old_row, new_row)
    VALUES (session_user, nullif(current_setting('role'), 'none'), current_setting('application_name'),
        inet_client_addr(), lower(TG_OP), TG_TABLE_NAME, coalesce(new_row, old_row) ->> TG_ARGV[0], changed,
        old_row - unseen, new_row - unseen);
    RETURN NULL;
END $$;

CREATE TRIGGER audit AFTER INSERT OR UPDATE OR DELETE ON martlet.apps
    FOR EACH ROW EXECUTE FUNCTION martlet.write_audit('bundle_id');
CREATE TRIGGER audit AFTER INSERT OR UPDATE OR DELETE ON martlet.credentials
    FOR EACH ROW EXECUTE FUNCTION martlet.write_audit('id');
CREATE TRIGGER audit_truncate AFTER TRUNCATE ON martlet.apps
    FOR EACH STATEMENT EXECUTE FUNCTION martlet.write_audit('bundle_id');
CREATE TRIGGER audit_truncate AFTER TRUNCATE ON martlet.credentials
    FOR EACH STATEMENT EXECUTE FUNCTION martlet.write_audit('id');

-- Locks the credentials that are one key under the same names, until the transaction ends. To lock a row takes the
-- right to change it; a worker gets the right to call this instead.
CREATE FUNCTION martlet.lock_key(credential uuid) RETURNS SETOF uuid
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT same.id FROM martlet.credentials AS mine JOIN martlet.credentials AS same
        ON (same.fingerprint, same.team, same.key_id) = (mine.fingerprint, mine.team, mine.key_id)
    WHERE mine.id = credential ORDER BY same.id FOR NO KEY UPDATE OF same
$$;

-- What workers and operators may do: GRANT privileges ON object TO role. A migration that adds a table adds rows.
CREATE TABLE martlet.grants (
    role       text NOT NULL,
    object     text NOT NULL,
    privileges text NOT NULL,
    PRIMARY KEY (role, object)
);

INSERT INTO martlet.grants (role, object, privileges) VALUES
    ('martlet_worker', 'SCHEMA martlet', 'USAGE'),
    ('martlet_worker', 'martlet.schema_migrations', 'SELECT'),
    ('martlet_worker', 'martlet.apps', 'SELECT'),
    ('martlet_worker', 'martlet.credentials', 'SELECT'),
    ('martlet_worker', 'FUNCTION martlet.lock_key', 'EXECUTE'),
    ('martlet_worker', 'martlet.provider_tokens', 'SELECT, INSERT, UPDATE'),
    ('martlet_worker', 'martlet.refusals', 'SELECT, INSERT, UPDATE, DELETE'),
    ('martlet_worker', 'martlet.device_tokens', 'SELECT, INSERT, UPDATE'),
    ('martlet_operator', 'SCHEMA martlet', 'USAGE'),
    ('martlet_operator', 'martlet.schema_migrations', 'SELECT'),
    ('martlet_operator', 'martlet.apps', 'SELECT, INSERT, UPDATE, DELETE'),
    ('martlet_operator', 'martlet.credentials', 'SELECT, INSERT, UPDATE'),
    -- `channel` and `credential check` use the fleet's tokens, `credential rekey` clears old ones away
    ('martlet_operator', 'FUNCTION martlet.lock_key', 'EXECUTE'),
    ('martlet_operator', 'martlet.provider_tokens', 'SELECT, INSERT, UPDATE, DELETE'),
    ('martlet_operator', 'martlet.refusals', 'SELECT'),
    ('martlet_operator', 'martlet.device_tokens', 'SELECT, INSERT, UPDATE, DELETE'),
    ('martlet_operator', 'martlet.audit', 'SELECT');

-- Gives the roles what they may do, and makes those that are not there, where that is allowed. `martlet migrate`
-- calls it each time. Returns the roles that are missing. Roles belong to the whole server, so another database's
-- migration may be making them at the same moment.
CREATE FUNCTION martlet.apply_grants() RETURNS text[]
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    wanted  record;
    missing text[] := '{}';
BEGIN
    FOR wanted IN SELECT DISTINCT role FROM martlet.grants ORDER BY role LOOP
        CONTINUE WHEN EXISTS (SELECT FROM pg_roles WHERE rolname = wanted.role);
        BEGIN
            EXECUTE format('CREATE ROLE %I NOLOGIN', wanted.role);
        EXCEPTION
            WHEN duplicate_object OR unique_violation THEN NULL;
            WHEN insufficient_privilege THEN missing := missing || wanted.role;
        END;
    END LOOP;
    FOR wanted IN SELECT * FROM martlet.grants WHERE role <> ALL (missing) ORDER BY role, object LOOP
        EXECUTE format('GRANT %s ON %s TO %I', wanted.privileges, wanted.object, wanted.role);
    END LOOP;
    RETURN missing;
END $$;

REVOKE ALL ON SCHEMA martlet FROM PUBLIC;
REVOKE ALL ON ALL TABLES IN SCHEMA martlet FROM PUBLIC;
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA martlet FROM PUBLIC;

-- already here, so that later migrations find the roles
SELECT martlet.apply_grants();
