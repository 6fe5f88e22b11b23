-- What each worker says of itself, with its row: where it runs, what it has to do, how fast it is, what keeps it from working. For
-- people: the status page, `martlet workers` and `martlet top`. It counts while the row is fresh. A worker of an earlier version
-- leaves it empty. Rights on the table are as they were, and cover the column.
ALTER TABLE martlet.workers
    ADD COLUMN report jsonb NOT NULL DEFAULT '{}' CONSTRAINT report_is_small CHECK (octet_length(report::text) <= 4096);
