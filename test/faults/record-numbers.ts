// The numbers of the records as the database has them: from 1 on, without a gap, and each event once.

/** What is wrong with them. */
export async function gapsOf(query: (sql: string) => Promise<readonly Readonly<Record<string, unknown>>[]>): Promise<readonly string[]> {
  const [row] = await query(
    `SELECT (SELECT last FROM latchd.head WHERE feed = 'record') AS last, count(*) AS records, max(record_id) AS highest,
       count(DISTINCT record_id) AS numbers, count(DISTINCT (lock_id, epoch, seq)) AS events FROM latchd.record`,
  );
  const isWhole = row !== undefined && Object.values(row).every((one) => one === row['last']);
  return isWhole ? [] : [`the records have gaps or stand twice: ${JSON.stringify(row)}`];
}
