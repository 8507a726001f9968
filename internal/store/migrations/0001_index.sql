-- +goose Up
-- One schema for SQLite and PostgreSQL. Times are nanoseconds since 1970 in UTC,
-- 0 where there is none; flags are 0 or 1; sets are words between spaces.

CREATE TABLE meta (
	id      BIGINT PRIMARY KEY CHECK (id = 1),
	origin  TEXT   NOT NULL, -- the log that this is an index of; '' before the first entry
	applied BIGINT NOT NULL, -- entries below this are in the index
	root    TEXT   NOT NULL, -- the log's root at that size
	fold    BIGINT NOT NULL  -- version of what turns entries into rows
);
INSERT INTO meta (id, origin, applied, root, fold) VALUES (1, '', 0, '', 0);

CREATE TABLE events (
	idx   BIGINT PRIMARY KEY,
	run   TEXT   NOT NULL,
	kind  TEXT   NOT NULL,
	at    BIGINT NOT NULL,
	size  BIGINT NOT NULL, -- bytes of the payload, which is in the log alone
	facts TEXT   NOT NULL  -- what the other tables need of it; '' when it was forgotten
);
CREATE INDEX events_run ON events (run, idx);

CREATE TABLE runs (
	run          TEXT   PRIMARY KEY,
	first        BIGINT NOT NULL, -- index of its first entry
	last         BIGINT NOT NULL,
	entries      BIGINT NOT NULL,
	began        BIGINT NOT NULL,
	ended        BIGINT NOT NULL,
	tenant       TEXT   NOT NULL,
	submitter    TEXT   NOT NULL,
	door         TEXT   NOT NULL,
	profile      TEXT   NOT NULL,
	language     TEXT   NOT NULL,
	program      TEXT   NOT NULL,
	conversation TEXT   NOT NULL,
	decision     TEXT   NOT NULL,
	status       TEXT   NOT NULL,
	score        BIGINT NOT NULL,
	ticket       TEXT   NOT NULL,
	started      BIGINT NOT NULL, -- a box was told to go, or may have been
	may_have_run BIGINT NOT NULL,
	complete     BIGINT NOT NULL
);
CREATE UNIQUE INDEX runs_first ON runs (first);
CREATE INDEX runs_tenant ON runs (tenant, first);
CREATE INDEX runs_submitter ON runs (tenant, submitter, first);
CREATE INDEX runs_conversation ON runs (conversation, first);
CREATE INDEX runs_open ON runs (complete, first);

CREATE TABLE questions (
	ticket    TEXT   PRIMARY KEY,
	idx       BIGINT NOT NULL,
	run       TEXT   NOT NULL,
	tenant    TEXT   NOT NULL,
	submitter TEXT   NOT NULL,
	binding   TEXT   NOT NULL,
	severity  TEXT   NOT NULL,
	asked     BIGINT NOT NULL,
	expires   BIGINT NOT NULL, -- of the question, or of its answer once there is one
	approver  TEXT   NOT NULL, -- '' while it waits
	approved  BIGINT NOT NULL,
	consumed  TEXT   NOT NULL  -- the run that it was spent on
);
CREATE UNIQUE INDEX questions_idx ON questions (idx);
CREATE INDEX questions_tenant ON questions (tenant, idx);
CREATE INDEX questions_run ON questions (run);

CREATE TABLE keys (
	id       TEXT   PRIMARY KEY,
	idx      BIGINT NOT NULL,
	tenant   TEXT   NOT NULL,
	owner    TEXT   NOT NULL,
	label    TEXT   NOT NULL,
	roles    TEXT   NOT NULL,
	profiles TEXT   NOT NULL,
	created  BIGINT NOT NULL,
	expires  BIGINT NOT NULL,
	maker    TEXT   NOT NULL
);
CREATE UNIQUE INDEX keys_idx ON keys (idx);

CREATE TABLE key_secrets (
	idx    BIGINT PRIMARY KEY,
	key_id TEXT   NOT NULL,
	hash   TEXT   NOT NULL, -- SHA-256 of the secret, hex
	at     BIGINT NOT NULL,
	until  BIGINT NOT NULL  -- when the secret before this one ends
);
CREATE INDEX key_secrets_key ON key_secrets (key_id, idx);

CREATE TABLE revocations (
	idx    BIGINT PRIMARY KEY,
	scope  TEXT   NOT NULL, -- key, owner, tenant or all
	target TEXT   NOT NULL, -- a key's ID, an identity; '' for the others
	tenant TEXT   NOT NULL, -- '' for all
	at     BIGINT NOT NULL,
	maker  TEXT   NOT NULL,
	reason TEXT   NOT NULL
);

CREATE TABLE claims (
	tenant  TEXT   NOT NULL,
	name    TEXT   NOT NULL, -- SHA-256 of the client's key, hex
	idx     BIGINT NOT NULL, -- of its entry; -1 until that is applied
	request TEXT   NOT NULL,
	run     TEXT   NOT NULL,
	at      BIGINT NOT NULL,
	PRIMARY KEY (tenant, name)
);
CREATE INDEX claims_at ON claims (at);

-- +goose Down
DROP TABLE claims;
DROP TABLE revocations;
DROP TABLE key_secrets;
DROP TABLE keys;
DROP TABLE questions;
DROP TABLE runs;
DROP TABLE events;
DROP TABLE meta;
