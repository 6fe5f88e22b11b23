-- Cancelling a job again renews its cancellation.

-- Cancels a job for as long as a new cancellation holds. Returns whether none was in force. Operators may not change rows;
-- they get the right to call this instead.
CREATE FUNCTION martlet.cancel_job(id text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    is_new boolean;
BEGIN
    -- over, though not cleared away yet: what follows is another one, perhaps by somebody else
    DELETE FROM martlet.cancelled_jobs WHERE job = id AND expires_at <= now();
    INSERT INTO martlet.cancelled_jobs (job) VALUES (id)
        ON CONFLICT (job) DO UPDATE SET expires_at = excluded.expires_at
        -- a row that was there before bears the number of the transaction that changes it
        RETURNING xmax = 0 INTO is_new;
    RETURN is_new;
END $$;

REVOKE ALL ON FUNCTION martlet.cancel_job FROM PUBLIC;
INSERT INTO martlet.grants (role, object, privileges) VALUES
    ('martlet_operator', 'FUNCTION martlet.cancel_job', 'EXECUTE');
SELECT martlet.apply_grants();
