-- What became of recipients, for `martlet why`: written by `martlet ledger` from the events of the results exchange, and by
-- nobody else. No address is kept, only a hash of it.
CREATE TABLE martlet.ledger (
    -- by this server's clock: what a partition is made of, whatever workers' clocks say
    noted_at    timestamptz NOT NULL DEFAULT now(),
    -- when the worker knew
    at          timestamptz NOT NULL,
    -- the beginning of SHA-256 over output, NUL, address; null: a job that can't be used
    recipient   bytea,
    attempts    integer NOT NULL,
    status      smallint,
    redelivered boolean NOT NULL,
    kind        text NOT NULL,
    output      text,
    app         text,
    environment text,
    job         text NOT NULL,
    ref         text,
    reason      text,
    detail      text,
    provider_id text,
    worker      text
) PARTITION BY RANGE (noted_at);
CREATE INDEX ledger_job ON martlet.ledger (job, ref);

-- Makes the partitions of today and tomorrow, by UTC, and drops those that are older than so many days, one at a time: each
-- waits two seconds at most for whoever reads. Returns how many were dropped. Who writes may call it, and needs no other right
-- than to insert.
CREATE FUNCTION martlet.keep_ledger(days integer) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp SET lock_timeout = '2s' SET timezone = 'UTC' SET datestyle = 'ISO' AS $$
DECLARE
    today   date := (now() AT TIME ZONE 'UTC')::date;
    wanted  date;
    old     record;
    dropped integer := 0;
BEGIN
    IF days IS NULL OR days < 1 THEN
        RAISE invalid_parameter_value USING MESSAGE = 'keep_ledger: days must be 1 or more';
    END IF;
    PERFORM pg_advisory_xact_lock(hashtextextended('martlet.ledger', 0));
    FOR wanted IN SELECT today + ahead FROM generate_series(0, 1) AS ahead LOOP
        CONTINUE WHEN to_regclass(format('martlet.%I', 'ledger_' || to_char(wanted, 'YYYYMMDD'))) IS NOT NULL;
        EXECUTE format(
            'CREATE TABLE martlet.%I PARTITION OF martlet.ledger FOR VALUES FROM (%L) TO (%L)',
            'ledger_' || to_char(wanted, 'YYYYMMDD'), wanted::timestamp AT TIME ZONE 'UTC',
            (wanted + 1)::timestamp AT TIME ZONE 'UTC');
    END LOOP;
    FOR old IN
        SELECT part.relname AS name FROM pg_inherits
        JOIN pg_class AS part ON part.oid = inhrelid
        WHERE inhparent = 'martlet.ledger'::regclass
            AND part.relname ~ '^ledger_[0-9]{8}$' AND part.relname < 'ledger_' || to_char(today - days, 'YYYYMMDD')
        ORDER BY part.relname
    LOOP
        BEGIN
            EXECUTE format('DROP TABLE martlet.%I', old.name);
            dropped := dropped + 1;
        EXCEPTION WHEN lock_not_available THEN
            NULL; -- somebody reads it: an hour later, then
        END;
    END LOOP;
    RETURN dropped;
END $$;

REVOKE ALL ON martlet.ledger FROM PUBLIC;
REVOKE ALL ON FUNCTION martlet.keep_ledger FROM PUBLIC;
INSERT INTO martlet.grants (role, object, privileges) VALUES
    ('martlet_ledger', 'SCHEMA martlet', 'USAGE'),
    ('martlet_ledger', 'martlet.schema_migrations', 'SELECT'),
    ('martlet_ledger', 'martlet.ledger', 'INSERT'),
    ('martlet_ledger', 'FUNCTION martlet.keep_ledger', 'EXECUTE'),
    ('martlet_operator', 'martlet.ledger', 'SELECT');
SELECT martlet.apply_grants();
