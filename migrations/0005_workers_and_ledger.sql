-- The running workers, and the outcome ledger.

-- The running workers. Each worker renews its row every two seconds. Operators read the
-- rows, and workers count the workers that share a provider's quota. The table is unlogged, so that renewals write no
-- WAL. After a crash it is empty, and each worker inserts its row again.
CREATE UNLOGGED TABLE martlet.workers (
    -- The id of the process. Two workers may have the same name for a moment, for example during a restart.
    id         uuid PRIMARY KEY,
    name       text NOT NULL,
    version    text NOT NULL,
    -- Both times are from the clock of the database server.
    started_at timestamptz NOT NULL,
    seen_at    timestamptz NOT NULL,
    outputs    text[] NOT NULL DEFAULT '{}',
    -- The quotas that the worker shares with all workers that list the same quota.
    quotas     text[] NOT NULL DEFAULT '{}',
    -- The state, load and problems of the worker, for the status page, `martlet workers` and `martlet top`.
    report     jsonb NOT NULL DEFAULT '{}' CONSTRAINT report_is_small CHECK (octet_length(report::text) <= 4096)
) WITH (fillfactor = 50);

-- If a worker starts or stops using a quota, the other workers are notified immediately. Other renewals send no
-- notification.
CREATE TRIGGER announce_insert AFTER INSERT ON martlet.workers
    FOR EACH ROW WHEN (NEW.quotas <> '{}') EXECUTE FUNCTION martlet.announce();
CREATE TRIGGER announce_update AFTER UPDATE ON martlet.workers
    FOR EACH ROW WHEN (OLD.quotas <> NEW.quotas) EXECUTE FUNCTION martlet.announce();
CREATE TRIGGER announce_delete AFTER DELETE ON martlet.workers
    FOR EACH ROW WHEN (OLD.quotas <> '{}') EXECUTE FUNCTION martlet.announce();

-- The outcomes of recipients, for `martlet why`. Only `martlet ledger` writes them, from the result events. The ledger
-- contains hashes of addresses instead of the addresses.
CREATE TABLE martlet.ledger (
    -- The time of the insert by the clock of the database server, which determines the partition.
    noted_at    timestamptz NOT NULL DEFAULT now(),
    -- The time at which the worker determined the outcome, by the worker's clock.
    at          timestamptz NOT NULL,
    -- The first half of the SHA-256 of the output, a NUL and the address. Null for a rejected job.
    recipient   bytea,
    attempts    integer NOT NULL,
    -- The status code of the provider, or null if the provider sent none.
    status      smallint,
    redelivered boolean NOT NULL,
    kind        text NOT NULL,
    -- The output, app and environment, or null if they could not be read from the job.
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

-- Creates the partitions of today and tomorrow (UTC), and drops partitions that are older than `days`. Returns the
-- number of dropped partitions. Skips a partition that is locked for more than two seconds. The role of
-- `martlet ledger` may only call this function and insert rows.
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
            NULL; -- A query reads the partition. The next call drops it.
        END;
    END LOOP;
    RETURN dropped;
END $$;
