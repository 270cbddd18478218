// The tables of documents and rows, and the heads of all numbered feeds.

/**
 * `head`: the highest number of each feed. A statement that writes raises its head last, by `advance`, so that numbers have no gaps and rise
 * in the order of commits. `head.writer` is the fence: only the process that is named there gets through `advance`, and who takes over
 * waits for what is under way, because it changes the same row.
 * `document`: each document, and each set of rows (`header` says what they are, as the first line of the file does). `change_no` is the
 * number of its last change, and the version by which a write is compared and set.
 * A change that is repeated and was made already locks its row all the same: so its commit waits until the standby has the change, too.
 * `json` rather than `jsonb`: the text comes back byte for byte, and a name may have every character.
 */
export const documentTables = `
CREATE TABLE head (feed text PRIMARY KEY, last bigint NOT NULL, writer uuid) WITH (fillfactor = 10);
INSERT INTO head (feed, last) VALUES ('change', 0), ('record', 0);

CREATE FUNCTION advance(wanted text, by bigint) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE newest bigint;
BEGIN
  UPDATE head SET last = last + by WHERE feed = wanted AND writer = current_setting('latchd.writer')::uuid RETURNING last INTO newest;
  IF NOT FOUND THEN RAISE EXCEPTION 'another node writes' USING ERRCODE = 'LF001'; END IF;
  RETURN newest;
END $$;

CREATE TABLE document (name text PRIMARY KEY, header json, change_no bigint NOT NULL);
CREATE TABLE document_row (
  name text NOT NULL REFERENCES document ON UPDATE CASCADE ON DELETE CASCADE,
  key text NOT NULL,
  place bigint GENERATED ALWAYS AS IDENTITY,
  body json NOT NULL,
  PRIMARY KEY (name, key));

CREATE FUNCTION write_document(wanted text, version bigint, is_repeated bool, is_whole bool, new_header text, keys text[], bodies text[])
RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE found bigint;
BEGIN
  IF version = 0 THEN INSERT INTO document VALUES (wanted, new_header::json, 0) ON CONFLICT DO NOTHING; END IF;
  SELECT change_no INTO found FROM document WHERE name = wanted FOR UPDATE;
  IF found IS DISTINCT FROM version THEN
    IF is_repeated AND found > version THEN RETURN found; END IF;
    RAISE EXCEPTION 'another node has written %', wanted USING ERRCODE = 'LF001';
  END IF;
  IF is_whole THEN
    DELETE FROM document_row WHERE name = wanted;
    UPDATE document SET header = new_header::json WHERE name = wanted;
  ELSE
    DELETE FROM document_row r USING unnest(keys, bodies) AS c(key, body) WHERE r.name = wanted AND r.key = c.key AND c.body IS NULL;
  END IF;
  INSERT INTO document_row (name, key, body)
    SELECT wanted, c.key, c.body::json FROM unnest(keys, bodies) WITH ORDINALITY AS c(key, body, n) WHERE c.body IS NOT NULL ORDER BY c.n
    ON CONFLICT (name, key) DO UPDATE SET body = excluded.body;
  found := advance('change', 1);
  UPDATE document SET change_no = found WHERE name = wanted;
  RETURN found;
END $$;

CREATE FUNCTION rename_document(wanted text, new_name text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE number bigint;
BEGIN
  IF EXISTS (SELECT FROM document WHERE name = wanted) THEN
    DELETE FROM document WHERE name = new_name;
    UPDATE document SET name = new_name WHERE name = wanted;
  END IF;
  number := advance('change', 1);
  UPDATE document SET change_no = number WHERE name = new_name;
  RETURN number;
END $$;

CREATE FUNCTION drop_document(wanted text) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM document WHERE name = wanted;
  RETURN advance('change', 1);
END $$;
`;
