// The lines of a stream of bytes, each within a bound: whatever writes them may write anything.

const lineFeed = 0x0a;
/** As long as a body of the HTTP API may be, in bytes. */
const longestLine = 65_536;

/** Each line without its line feed, the last one without any, too; `too-long` in place of one that was dropped. */
export async function* boundedLines(input: AsyncIterable<Buffer>): AsyncGenerator<Buffer | 'too-long'> {
  let begun: Buffer = Buffer.alloc(0);
  let isTooLong = false;
  const add = (part: Buffer): void => {
    isTooLong ||= begun.length + part.length > longestLine;
    begun = isTooLong ? Buffer.alloc(0) : Buffer.concat([begun, part]);
  };
  const ended = (): Buffer | 'too-long' => {
    const line = isTooLong ? 'too-long' : begun;
    begun = Buffer.alloc(0);
    isTooLong = false;
    return line;
  };
  for await (const chunk of input) {
    let from = 0;
    for (let to = chunk.indexOf(lineFeed); to >= 0; to = chunk.indexOf(lineFeed, from)) {
      add(chunk.subarray(from, to));
      yield ended();
      from = to + 1;
    }
    add(chunk.subarray(from));
  }
  if (isTooLong || begun.length > 0) yield ended();
}
