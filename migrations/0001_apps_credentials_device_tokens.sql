-- Applied by `martlet migrate` in one transaction. An applied file never changes: add the next number.

CREATE TYPE martlet.environment AS ENUM ('production', 'sandbox');

CREATE TABLE martlet.credentials (
    id                uuid PRIMARY KEY,
    kind              text NOT NULL CHECK (kind IN ('token', 'certificate')),
    team              text NOT NULL,
    -- Apple's id of a token credential's key
    key_id            text CHECK ((kind = 'token') = (key_id IS NOT NULL)),
    environments      martlet.environment[] NOT NULL CHECK (cardinality(environments) > 0),
    -- empty: every topic of the team
    topics            text[] NOT NULL DEFAULT '{}' CHECK (kind = 'token' OR cardinality(topics) > 0),
    -- DER, leaf first
    certificate_chain bytea[] NOT NULL DEFAULT '{}' CHECK ((kind = 'certificate') = (cardinality(certificate_chain) > 0)),
    -- the private key, sealed with AES-256-GCM under the master key of that id, bound to this row's id and kind
    sealed_secret     bytea NOT NULL,
    master_key_id     text NOT NULL,
    not_before        timestamptz,
    not_after         timestamptz,
    -- refused: the provider said no; retired: taken out of use by an operator
    state             text NOT NULL DEFAULT 'active' CHECK (state IN ('active', 'refused', 'retired')),
    -- SHA-256 of the public key (token) or of the leaf certificate (certificate), in hex
    fingerprint       text NOT NULL,
    label             text NOT NULL DEFAULT '',
    created_at        timestamptz NOT NULL DEFAULT now(),
    updated_at        timestamptz NOT NULL DEFAULT now()
);

CREATE UNIQUE INDEX credentials_imported_once ON martlet.credentials (fingerprint) WHERE state <> 'retired';

CREATE TABLE martlet.apps (
    bundle_id           text PRIMARY KEY,
    team                text NOT NULL,
    default_environment martlet.environment NOT NULL DEFAULT 'production',
    -- goes before every other credential of the team
    credential          uuid REFERENCES martlet.credentials,
    -- broker users; empty: anybody
    allowed_publishers  text[] NOT NULL DEFAULT '{}',
    paused              boolean NOT NULL DEFAULT false,
    created_at          timestamptz NOT NULL DEFAULT now(),
    updated_at          timestamptz NOT NULL DEFAULT now()
);

-- The signed token that all workers share for one token credential.
CREATE TABLE martlet.provider_tokens (
    credential    uuid PRIMARY KEY REFERENCES martlet.credentials ON DELETE CASCADE,
    sealed_token  bytea NOT NULL,
    master_key_id text NOT NULL,
    issued_at     timestamptz NOT NULL
);

-- A token is dead where unregistered_at is not null, which is later than registered_at.
-- Built for 100 million rows: fixed-width columns first (no padding), columns of dead tokens null (no space)
-- while a token lives, "C" collation (comparison by bytes), statistics and vacuum by small steps.
CREATE TABLE martlet.device_tokens (
    registered_at   timestamptz,
    unregistered_at timestamptz,
    -- when the mark was written here: what an export follows
    marked_at       timestamptz,
    environment     martlet.environment NOT NULL,
    output          text COLLATE "C" NOT NULL,
    app             text COLLATE "C" NOT NULL,
    token           text COLLATE "C" NOT NULL,
    reason          text COLLATE "C",
    PRIMARY KEY (output, app, environment, token),
    CHECK ((unregistered_at IS NULL) = (marked_at IS NULL)),
    CHECK (unregistered_at > registered_at)
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);

CREATE INDEX device_tokens_dead ON martlet.device_tokens (marked_at) WHERE unregistered_at IS NOT NULL;

CREATE FUNCTION martlet.touch() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.updated_at := now();
    RETURN NEW;
END $$;

CREATE TRIGGER touch BEFORE UPDATE ON martlet.apps
    FOR EACH ROW EXECUTE FUNCTION martlet.touch();
CREATE TRIGGER touch BEFORE UPDATE ON martlet.credentials
    FOR EACH ROW EXECUTE FUNCTION martlet.touch();

-- Workers listen to martlet_changed; the payload is the table's name.
CREATE FUNCTION martlet.announce() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('martlet_changed', TG_TABLE_NAME);
    RETURN NULL;
END $$;

CREATE TRIGGER announce AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON martlet.apps
    FOR EACH STATEMENT EXECUTE FUNCTION martlet.announce();
CREATE TRIGGER announce AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON martlet.credentials
    FOR EACH STATEMENT EXECUTE FUNCTION martlet.announce();
