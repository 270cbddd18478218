// The tables of what grows: records, the access log, the audit log, the quarantine; and what locks report again and again.

/**
 * `head.gone`: how many numbers up to `head.last` no record has any more, so that the records are counted by a subtraction; `head.floor`: none
 * up to this one is any more.
 * `stream`: what is stored of each epoch of a lock; whoever has an old `version` stores nothing. `used_command`: which remote commands have
 * named an account. A `record` lies in the partition of the week in which the database stored it; where there is none, as with a clock that is
 * wrong, it lies in the default one. An `access_line` is current while it is the last of its lock (0: the gateway) about its topic.
 * The `words` of an `audit` entry are what people search in, in lower case.
 * `json` rather than `jsonb`: a name may have every character.
 */
export const recordTables = `
ALTER TABLE head ADD COLUMN gone bigint NOT NULL DEFAULT 0, ADD COLUMN floor bigint NOT NULL DEFAULT 0;
INSERT INTO head (feed, last) VALUES ('access', 0), ('audit', 0), ('report', 0);

CREATE TABLE stream (
  lock_id bigint, epoch text, version bigint NOT NULL, ranges int8multirange NOT NULL, newest_at bigint NOT NULL,
  PRIMARY KEY (lock_id, epoch)) WITH (fillfactor = 60);
CREATE TABLE used_command (lock_id bigint PRIMARY KEY, ranges int8multirange NOT NULL) WITH (fillfactor = 60);

CREATE FUNCTION at_most(ranges int8multirange, most int) RETURNS int8multirange LANGUAGE sql IMMUTABLE AS $$
  SELECT coalesce(
    (SELECT ranges + int8multirange(int8range(lower(ranges), upper(one))) FROM unnest(ranges) AS one ORDER BY one DESC OFFSET most - 1 LIMIT 1),
    ranges)
$$;

CREATE TABLE record (
  record_id bigint NOT NULL, lock_id bigint NOT NULL, epoch text NOT NULL, seq bigint NOT NULL, type text NOT NULL, success bool NOT NULL,
  credential text NOT NULL, username text NOT NULL, lock_date bigint NOT NULL, server_date bigint NOT NULL,
  reported_date bigint, undated bool, reason text, command bigint, entry_id bigint,
  stored_at timestamptz NOT NULL DEFAULT now()) PARTITION BY RANGE (stored_at);
CREATE TABLE record_default PARTITION OF record DEFAULT;
CREATE INDEX ON record (lock_id, record_id) INCLUDE (lock_date);
CREATE INDEX ON record USING brin (record_id) WITH (pages_per_range = 32, autosummarize = on);

CREATE TABLE access_line (
  id bigint PRIMARY KEY, recorded_at bigint NOT NULL, lock_id bigint NOT NULL, topic text NOT NULL, stands bool NOT NULL, is_current bool NOT NULL,
  is_contact bool NOT NULL, entry_id bigint, person_id bigint, credential_id bigint, number text, body json NOT NULL);
CREATE UNIQUE INDEX ON access_line (lock_id, topic) WHERE is_current;
CREATE INDEX ON access_line (lock_id, id);
CREATE INDEX ON access_line (lock_id, topic, id);
CREATE INDEX ON access_line (lock_id, id) WHERE is_contact;
CREATE INDEX ON access_line (entry_id) WHERE entry_id IS NOT NULL;
CREATE INDEX ON access_line (person_id) WHERE person_id IS NOT NULL;
CREATE INDEX ON access_line (credential_id) WHERE credential_id IS NOT NULL;
CREATE INDEX ON access_line (number) WHERE number IS NOT NULL;

CREATE SEQUENCE audit_id;
CREATE TABLE audit (
  audit_id bigint PRIMARY KEY, at bigint NOT NULL, is_attempt bool NOT NULL, username text NOT NULL, action text NOT NULL, object text NOT NULL,
  is_ok bool NOT NULL, words text NOT NULL, body json NOT NULL);
CREATE INDEX ON audit (at);

CREATE TABLE quarantine (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, at bigint NOT NULL, device_id text NOT NULL, reason bytea NOT NULL, payload bytea NOT NULL);
CREATE TABLE battery (lock_id bigint PRIMARY KEY, levels json NOT NULL);
CREATE TABLE status (
  lock_id bigint PRIMARY KEY, state text, state_at bigint, battery_percent int, last_seen_at bigint, cards_on_lock int) WITH (fillfactor = 50);
`;
