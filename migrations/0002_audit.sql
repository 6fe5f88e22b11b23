-- The audit of apps and credentials. The triggers of cancellations are in the file about jobs.

-- The changes of audited tables, written by triggers. Only the owner of the schema may change or delete rows.
CREATE TABLE martlet.audit (
    id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at           timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- The database user that logged in.
    session_role text NOT NULL,
    -- The role that the user had assumed with SET ROLE, or null.
    set_role     text,
    application  text NOT NULL,
    -- The address of the client, or null for a Unix socket.
    address      inet,
    operation    text NOT NULL CHECK (operation IN ('insert', 'update', 'delete', 'truncate')),
    -- The name of the table.
    object       text NOT NULL,
    -- The key of the row, or null for a truncated table.
    object_id    text,
    -- The names of the changed columns. A changed secret is listed here, but the rows below omit its value.
    changed      text[] NOT NULL,
    old_row      jsonb,
    new_row      jsonb
);

CREATE INDEX audit_at ON martlet.audit (at);
CREATE INDEX audit_object ON martlet.audit (object, object_id, at);

-- Writes an audit entry for a changed row or a truncated table. The trigger's argument is the table's key column.
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
CREATE TRIGGER audit_truncate AFTER TRUNCATE ON martlet.apps
    FOR EACH STATEMENT EXECUTE FUNCTION martlet.write_audit('bundle_id');

CREATE TRIGGER audit AFTER INSERT OR UPDATE OR DELETE ON martlet.app_accounts
    FOR EACH ROW EXECUTE FUNCTION martlet.write_audit('app');
CREATE TRIGGER audit_truncate AFTER TRUNCATE ON martlet.app_accounts
    FOR EACH STATEMENT EXECUTE FUNCTION martlet.write_audit('app');

CREATE TRIGGER audit AFTER INSERT OR UPDATE OR DELETE ON martlet.credentials
    FOR EACH ROW EXECUTE FUNCTION martlet.write_audit('id');
CREATE TRIGGER audit_truncate AFTER TRUNCATE ON martlet.credentials
    FOR EACH STATEMENT EXECUTE FUNCTION martlet.write_audit('id');

-- Returns the paused apps, and when and by whom each was paused. Workers may call this function, although they must not
-- read the audit.
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
