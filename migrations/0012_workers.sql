-- The workers that run, each as it says itself every two seconds: who shares a provider's quota, and whom people may look
-- for. Unlogged: it costs no write-ahead log, and after a crash each worker writes its row again.
CREATE UNLOGGED TABLE martlet.workers (
    -- of the process: two may have one name for a moment
    id         uuid PRIMARY KEY,
    name       text NOT NULL,
    version    text NOT NULL,
    -- both by this server's clock
    started_at timestamptz NOT NULL,
    seen_at    timestamptz NOT NULL,
    outputs    text[] NOT NULL DEFAULT '{}',
    -- which it shares with all others that have them here
    quotas     text[] NOT NULL DEFAULT '{}'
) WITH (fillfactor = 50);

-- Who shares a quota with one that begins or ceases to use it need not wait for the next look.
CREATE TRIGGER announce_insert AFTER INSERT ON martlet.workers
    FOR EACH ROW WHEN (NEW.quotas <> '{}') EXECUTE FUNCTION martlet.announce();
CREATE TRIGGER announce_update AFTER UPDATE ON martlet.workers
    FOR EACH ROW WHEN (OLD.quotas <> NEW.quotas) EXECUTE FUNCTION martlet.announce();
CREATE TRIGGER announce_delete AFTER DELETE ON martlet.workers
    FOR EACH ROW WHEN (OLD.quotas <> '{}') EXECUTE FUNCTION martlet.announce();

REVOKE ALL ON martlet.workers FROM PUBLIC;
INSERT INTO martlet.grants (role, object, privileges) VALUES
    ('martlet_worker', 'martlet.workers', 'SELECT, INSERT, UPDATE, DELETE'),
    ('martlet_operator', 'martlet.workers', 'SELECT');
SELECT martlet.apply_grants();
