-- The roles of workers, operators and the outcome ledger, and their privileges on the objects of the other files.

-- The privileges of each role. `apply_grants` runs GRANT privileges ON object TO role for each row. A later migration
-- that creates a table inserts rows for it.
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
    ('martlet_worker', 'martlet.app_accounts', 'SELECT'),
    ('martlet_worker', 'FUNCTION martlet.paused_apps', 'EXECUTE'),
    ('martlet_worker', 'martlet.credentials', 'SELECT'),
    ('martlet_worker', 'FUNCTION martlet.lock_key', 'EXECUTE'),
    ('martlet_worker', 'martlet.provider_tokens', 'SELECT, INSERT, UPDATE'),
    ('martlet_worker', 'martlet.refusals', 'SELECT, INSERT, UPDATE, DELETE'),
    ('martlet_worker', 'martlet.device_tokens', 'SELECT, INSERT, UPDATE'),
    ('martlet_worker', 'FUNCTION martlet.marks_complete_until', 'EXECUTE'),
    ('martlet_worker', 'martlet.claims', 'SELECT, INSERT, UPDATE, DELETE'),
    ('martlet_worker', 'martlet.cancelled_jobs', 'SELECT'),
    ('martlet_worker', 'martlet.cancellation_state', 'SELECT'),
    ('martlet_worker', 'martlet.cancellation_changes', 'SELECT'),
    ('martlet_worker', 'FUNCTION martlet.forget_cancellations', 'EXECUTE'),
    ('martlet_worker', 'martlet.workers', 'SELECT, INSERT, UPDATE, DELETE'),

    ('martlet_operator', 'SCHEMA martlet', 'USAGE'),
    ('martlet_operator', 'martlet.schema_migrations', 'SELECT'),
    ('martlet_operator', 'martlet.apps', 'SELECT, INSERT, UPDATE, DELETE'),
    ('martlet_operator', 'martlet.app_accounts', 'SELECT, INSERT, UPDATE, DELETE'),
    ('martlet_operator', 'FUNCTION martlet.paused_apps', 'EXECUTE'),
    ('martlet_operator', 'martlet.credentials', 'SELECT, INSERT, UPDATE'),
    -- The commands `channel` and `credential check` use the shared tokens, and `credential rekey` deletes old tokens.
    ('martlet_operator', 'FUNCTION martlet.lock_key', 'EXECUTE'),
    ('martlet_operator', 'martlet.provider_tokens', 'SELECT, INSERT, UPDATE, DELETE'),
    ('martlet_operator', 'martlet.refusals', 'SELECT'),
    ('martlet_operator', 'martlet.device_tokens', 'SELECT, INSERT, UPDATE, DELETE'),
    ('martlet_operator', 'martlet.dead_tokens', 'SELECT'),
    ('martlet_operator', 'FUNCTION martlet.marks_complete_until', 'EXECUTE'),
    ('martlet_operator', 'FUNCTION martlet.register_token', 'EXECUTE'),
    -- Operators write only the column `job`. The time and the user have their defaults, so they cannot be forged.
    ('martlet_operator', 'martlet.cancelled_jobs', 'SELECT, INSERT (job), DELETE'),
    ('martlet_operator', 'FUNCTION martlet.cancel_job', 'EXECUTE'),
    -- An operator may delete the row of a worker that ended without signing off.
    ('martlet_operator', 'martlet.workers', 'SELECT, DELETE'),
    ('martlet_operator', 'martlet.ledger', 'SELECT'),
    ('martlet_operator', 'martlet.audit', 'SELECT'),

    ('martlet_ledger', 'SCHEMA martlet', 'USAGE'),
    ('martlet_ledger', 'martlet.schema_migrations', 'SELECT'),
    ('martlet_ledger', 'martlet.ledger', 'INSERT'),
    ('martlet_ledger', 'FUNCTION martlet.keep_ledger', 'EXECUTE');

REVOKE ALL ON SCHEMA martlet FROM PUBLIC;
REVOKE ALL ON ALL TABLES IN SCHEMA martlet FROM PUBLIC;
-- Every user of the schema may still call `token_key`.
REVOKE ALL ON FUNCTION
    martlet.touch, martlet.announce, martlet.lock_key, martlet.write_audit, martlet.paused_apps,
    martlet.register_token, martlet.marks_complete_until, martlet.note_cancellations, martlet.cancel_job,
    martlet.forget_cancellations, martlet.keep_ledger
    FROM PUBLIC;

-- Creates missing roles if the owner of the schema may create roles, and grants all privileges. Returns the roles that
-- are still missing. `martlet migrate` calls this function every time.
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
            -- Roles belong to the whole server, so the migration of another database may create the same role.
            WHEN duplicate_object OR unique_violation THEN NULL;
            WHEN insufficient_privilege THEN missing := missing || wanted.role;
        END;
    END LOOP;
    FOR wanted IN SELECT * FROM martlet.grants WHERE role <> ALL (missing) ORDER BY role, object LOOP
        EXECUTE format('GRANT %s ON %s TO %I', wanted.privileges, wanted.object, wanted.role);
    END LOOP;
    RETURN missing;
END $$;

REVOKE ALL ON FUNCTION martlet.apply_grants FROM PUBLIC;

SELECT martlet.apply_grants();
