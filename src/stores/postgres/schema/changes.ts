// What was changed, for the nodes that follow the one that writes.

/**
 * `change`: a row for each number of the feed `change`, for seven days, and the newest one always. `keys`: the rows that were written or
 * dropped; null: all that is under the name. `was`: its name before. `mark`: numbers are given again when an older copy of the database takes its
 * place, marks are not. The first row stands for all that was before. The three functions are as before, and write such a row each.
 */
export const changeTable = `
CREATE TABLE change (
  change_no bigint PRIMARY KEY, name text NOT NULL, keys text[], was text,
  mark uuid NOT NULL DEFAULT gen_random_uuid(), at timestamptz NOT NULL DEFAULT now());
INSERT INTO change (change_no, name, keys) SELECT last, '', '{}' FROM head WHERE feed = 'change';

CREATE OR REPLACE FUNCTION write_document(
  wanted text, version bigint, is_repeated bool, is_whole bool, new_header text, keys text[], bodies text[])
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
  INSERT INTO change VALUES (found, wanted, CASE WHEN NOT is_whole THEN keys END);
  RETURN found;
END $$;

CREATE OR REPLACE FUNCTION rename_document(wanted text, new_name text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE number bigint;
BEGIN
  IF EXISTS (SELECT FROM document WHERE name = wanted) THEN
    DELETE FROM document WHERE name = new_name;
    UPDATE document SET name = new_name WHERE name = wanted;
  END IF;
  number := advance('change', 1);
  UPDATE document SET change_no = number WHERE name = new_name;
  INSERT INTO change VALUES (number, new_name, NULL, wanted);
  RETURN number;
END $$;

CREATE OR REPLACE FUNCTION drop_document(wanted text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE number bigint;
BEGIN
  DELETE FROM document WHERE name = wanted;
  number := advance('change', 1);
  INSERT INTO change VALUES (number, wanted);
  RETURN number;
END $$;
`;
