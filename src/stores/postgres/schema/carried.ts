// What came with data that was moved in.

/**
 * `carried_file`: a file as it was, beside the rows that were made of it. It holds as long as the rows say the same: `made` is the SHA-256 of
 * what they give, and `goes_with` the file with which it stays or goes. Without `bytes` it is what the rows give, sorted by lock when
 * `is_sorted`. `carried_log`: up to which number the files of a log were moved in.
 */
export const carriedTables = `
CREATE TABLE carried_file (name text PRIMARY KEY, goes_with text, made text, is_sorted bool NOT NULL DEFAULT false, bytes bytea);
CREATE TABLE carried_log (folder text PRIMARY KEY, up_to bigint NOT NULL);
`;
