-- Credentials that APNs refuses just now, as the workers find out. A worker writes its rows anew every minute, so
-- one that has not been written for a while is of a worker that has gone.
CREATE TABLE martlet.refusals (
    credential      uuid NOT NULL REFERENCES martlet.credentials ON DELETE CASCADE,
    environment     martlet.environment NOT NULL,
    -- empty: all topics
    topic           text NOT NULL DEFAULT '',
    reason          text NOT NULL,
    since           timestamptz NOT NULL,
    last_refused_at timestamptz NOT NULL DEFAULT now(),
    worker          text NOT NULL,
    PRIMARY KEY (credential, environment, topic)
);
