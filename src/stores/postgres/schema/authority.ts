// The certificate authority that all nodes show to clients and locks, and know each other by.

/** PEM. Whoever needs it first makes it; it never changes. What was moved in before this step had it among the files beside the rows. */
export const authorityTable = `
CREATE TABLE authority (one bool PRIMARY KEY DEFAULT true CHECK (one), certificate text NOT NULL, key text NOT NULL);
INSERT INTO authority (certificate, key)
  SELECT convert_from(c.bytes, 'UTF8'), convert_from(k.bytes, 'UTF8') FROM carried_file c, carried_file k
  WHERE c.name = 'tls/ca.crt' AND k.name = 'tls/ca.key';
DELETE FROM carried_file WHERE name IN ('tls/ca.crt', 'tls/ca.key') AND EXISTS (SELECT FROM authority);
`;
