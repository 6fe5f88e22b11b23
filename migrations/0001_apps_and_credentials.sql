-- Apps, and the credentials with which Martlet authenticates to the push providers.

CREATE TYPE martlet.environment AS ENUM ('production', 'sandbox');

-- Sets `updated_at` of an updated row.
CREATE FUNCTION martlet.touch() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.updated_at := now();
    RETURN NEW;
END $$;

-- Notifies workers that a table has changed. They listen on the channel martlet_changed. The payload is the name of
-- the table.
CREATE FUNCTION martlet.announce() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('martlet_changed', TG_TABLE_NAME);
    RETURN NULL;
END $$;

-- The credentials. Each belongs to one output, which is a provider such as `apns`, and to one account of that provider.
CREATE TABLE martlet.credentials (
    id                uuid PRIMARY KEY,
    output            text NOT NULL,
    -- The provider's id of the account, for example an Apple team.
    account           text NOT NULL,
    -- A credential of the kind `secret` has a format that its output defines.
    kind              text NOT NULL CHECK (kind IN ('token', 'certificate', 'secret')),
    -- Apple's id of the key, only of the kind `token`.
    key_id            text CONSTRAINT credentials_check CHECK ((kind = 'token') = (key_id IS NOT NULL)),
    environments      martlet.environment[] NOT NULL CHECK (cardinality(environments) > 0),
    -- The topics for which the credential is valid. An empty array stands for all topics of the account.
    topics            text[] NOT NULL DEFAULT '{}'
        CONSTRAINT credentials_topics_check CHECK (kind <> 'certificate' OR cardinality(topics) > 0),
    -- The certificates in DER, with the leaf certificate first.
    certificate_chain bytea[] NOT NULL DEFAULT '{}'
        CONSTRAINT credentials_check2 CHECK ((kind = 'certificate') = (cardinality(certificate_chain) > 0)),
    -- The private key or other secret, encrypted with AES-256-GCM. It opens only in a row with the same id, output,
    -- account, kind, key id and fingerprint.
    sealed_secret     bytea NOT NULL,
    -- The id of the key in the keyring file that opens `sealed_secret`.
    master_key_id     text NOT NULL,
    not_before        timestamptz,
    not_after         timestamptz,
    -- An operator retires a credential that must not be used any longer.
    state             text NOT NULL DEFAULT 'active' CHECK (state IN ('active', 'retired')),
    -- A SHA-256 in hex that identifies the secret, for example of the public key or of the leaf certificate.
    fingerprint       text NOT NULL,
    label             text NOT NULL DEFAULT '',
    created_at        timestamptz NOT NULL DEFAULT now(),
    updated_at        timestamptz NOT NULL DEFAULT now()
);

CREATE UNIQUE INDEX credentials_imported_once ON martlet.credentials (output, fingerprint) WHERE state <> 'retired';

CREATE TRIGGER touch BEFORE UPDATE ON martlet.credentials
    FOR EACH ROW EXECUTE FUNCTION martlet.touch();
CREATE TRIGGER announce AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON martlet.credentials
    FOR EACH STATEMENT EXECUTE FUNCTION martlet.announce();

-- Locks all credentials that have the same account and key as the given credential, until the transaction ends. A row
-- lock requires the right to update the table. Workers do not have this right, but they may call this function.
CREATE FUNCTION martlet.lock_key(credential uuid) RETURNS SETOF uuid
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT same.id FROM martlet.credentials AS mine JOIN martlet.credentials AS same
        ON (same.output, same.fingerprint, same.account) = (mine.output, mine.fingerprint, mine.account)
            AND same.key_id IS NOT DISTINCT FROM mine.key_id
    WHERE mine.id = credential ORDER BY same.id FOR NO KEY UPDATE OF same
$$;

-- The signed APNs provider tokens. All workers share one token for each credential of the kind `token`.
CREATE TABLE martlet.provider_tokens (
    credential    uuid PRIMARY KEY REFERENCES martlet.credentials ON DELETE CASCADE,
    sealed_token  bytea NOT NULL,
    master_key_id text NOT NULL,
    issued_at     timestamptz NOT NULL
);

-- The credentials and topics that a provider currently refuses. A worker renews its rows every minute, so the worker
-- that wrote an older row has stopped.
CREATE TABLE martlet.refusals (
    credential      uuid NOT NULL REFERENCES martlet.credentials ON DELETE CASCADE,
    environment     martlet.environment NOT NULL,
    -- The refused topic. An empty text stands for all topics.
    topic           text NOT NULL DEFAULT '',
    reason          text NOT NULL,
    since           timestamptz NOT NULL,
    last_refused_at timestamptz NOT NULL DEFAULT now(),
    worker          text NOT NULL,
    PRIMARY KEY (credential, environment, topic)
);

-- The apps whose jobs are accepted.
CREATE TABLE martlet.apps (
    bundle_id            text PRIMARY KEY,
    default_environment  martlet.environment NOT NULL DEFAULT 'production',
    -- The broker users that may publish jobs for the app. An empty array allows all users.
    allowed_publishers   text[] NOT NULL DEFAULT '{}',
    paused               boolean NOT NULL DEFAULT false,
    -- The number of pushes per second that all workers together may send for the app, or null for no limit.
    rate                 integer CONSTRAINT rate_is_positive CHECK (rate > 0),
    -- Whether `rate` also limits and counts the pushes of the urgent lane.
    rate_includes_urgent boolean NOT NULL DEFAULT false,
    created_at           timestamptz NOT NULL DEFAULT now(),
    updated_at           timestamptz NOT NULL DEFAULT now()
);

CREATE TRIGGER touch BEFORE UPDATE ON martlet.apps
    FOR EACH ROW EXECUTE FUNCTION martlet.touch();
CREATE TRIGGER announce AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON martlet.apps
    FOR EACH STATEMENT EXECUTE FUNCTION martlet.announce();

-- The account of each app for each output that needs one.
CREATE TABLE martlet.app_accounts (
    app        text NOT NULL REFERENCES martlet.apps ON DELETE CASCADE,
    output     text NOT NULL,
    -- The provider's id of the account, as in `credentials`.
    account    text NOT NULL,
    -- The credential that takes precedence over the other credentials of the account, or null.
    credential uuid REFERENCES martlet.credentials,
    PRIMARY KEY (app, output)
);

CREATE TRIGGER announce AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON martlet.app_accounts
    FOR EACH STATEMENT EXECUTE FUNCTION martlet.announce();
