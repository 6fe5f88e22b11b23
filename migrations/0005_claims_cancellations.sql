-- Jobs that were taken on and must not be taken on twice. The key is made from output, app and the job's id.
CREATE TABLE martlet.claims (
    key        uuid PRIMARY KEY,
    -- the statement that claimed it, so that it can be repeated
    owner      uuid NOT NULL,
    expires_at timestamptz NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0.05);

CREATE INDEX claims_expired ON martlet.claims (expires_at);

-- Jobs that are not to be sent, or not any further.
CREATE TABLE martlet.cancelled_jobs (
    job          text PRIMARY KEY,
    cancelled_at timestamptz NOT NULL DEFAULT now(),
    cancelled_by text NOT NULL DEFAULT session_user
);

CREATE TRIGGER announce AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON martlet.cancelled_jobs
    FOR EACH STATEMENT EXECUTE FUNCTION martlet.announce();

INSERT INTO martlet.grants (role, object, privileges) VALUES
    ('martlet_worker', 'martlet.claims', 'SELECT, INSERT, UPDATE, DELETE'),
    ('martlet_worker', 'martlet.cancelled_jobs', 'SELECT, DELETE'),
    ('martlet_operator', 'martlet.cancelled_jobs', 'SELECT, INSERT, DELETE');
SELECT martlet.apply_grants();
