-- Lets workers and operators read since when an app is paused and by whom. Lets an operator delete the row of a worker that
-- ended without signing off.
CREATE INDEX audit_object ON martlet.audit (object, object_id, at);

CREATE FUNCTION martlet.paused_apps() RETURNS TABLE (bundle_id text, paused_at timestamptz, paused_by text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT apps.bundle_id, entry.at, coalesce(entry.set_role, entry.session_role)
    FROM martlet.apps LEFT JOIN LATERAL (
        SELECT at, set_role, session_role FROM martlet.audit
        WHERE object = 'apps' AND object_id = apps.bundle_id AND 'paused' = ANY (changed)
        ORDER BY at DESC LIMIT 1
    ) AS entry ON true
    WHERE apps.paused
$$;

REVOKE ALL ON FUNCTION martlet.paused_apps() FROM PUBLIC;
UPDATE martlet.grants SET privileges = 'SELECT, DELETE' WHERE role = 'martlet_operator' AND object = 'martlet.workers';
INSERT INTO martlet.grants (role, object, privileges) VALUES
    ('martlet_worker', 'FUNCTION martlet.paused_apps', 'EXECUTE'),
    ('martlet_operator', 'FUNCTION martlet.paused_apps', 'EXECUTE');
SELECT martlet.apply_grants();
