// node systemd/release/pictures.mjs FILE...: makes pictures of pages (PNG, eight bits each of red, green and blue) smaller, in place. Each keeps
// its 32 most frequent colours, and every other becomes the nearest of them: a page has few colours, and the rest are edges of letters.
import { readFileSync, writeFileSync } from 'node:fs';
import { crc32, deflateSync, inflateSync } from 'node:zlib';

const signature = Buffer.from('89504e470d0a1a0a', 'hex');
const pixelBytes = 3;
/** PNG 9: what the bytes of a row count from, by the number of its filter. */
const filters = [() => 0, (left) => left, (_, up) => up, (left, up) => (left + up) >> 1, nearestOf];

for (const file of process.argv.slice(2)) {
  const { header, rows } = decoded(readFileSync(file));
  const { palette, indexOf } = colours(rows);
  const lines = rows.map((row) => {
    const line = Buffer.alloc(1 + row.length / pixelBytes);
    for (let at = 0; at < row.length; at += pixelBytes) line[1 + at / pixelBytes] = indexOf(row.readUIntBE(at, pixelBytes));
    return line;
  });
  header[9] = 3;
  const data = deflateSync(Buffer.concat(lines), { level: 9 });
  const parts = [chunk('IHDR', header), chunk('PLTE', palette), chunk('IDAT', data), chunk('IEND', Buffer.alloc(0))];
  writeFileSync(file, Buffer.concat([signature, ...parts]));
}

/** The header, and the bytes of each row. */
function decoded(file) {
  const parts = [];
  let header = Buffer.alloc(0);
  for (let at = signature.length; at < file.length; ) {
    const length = file.readUInt32BE(at);
    const type = file.toString('latin1', at + 4, at + 8);
    const content = file.subarray(at + 8, at + 8 + length);
    if (type === 'IHDR') header = Buffer.from(content);
    if (type === 'IDAT') parts.push(content);
    at += length + 12;
  }
  const [depth, colourType, , , interlace] = header.subarray(8);
  if (depth !== 8 || colourType !== 2 || interlace !== 0) throw new Error('a picture must have eight bits for each of three colours');
  return { header, rows: unfiltered(inflateSync(Buffer.concat(parts)), header.readUInt32BE(0) * pixelBytes) };
}

/** Each row begins with the number of the filter that it went through. */
function unfiltered(bytes, rowBytes) {
  const rows = [];
  let above = Buffer.alloc(rowBytes);
  for (let start = 0; start < bytes.length; start += rowBytes + 1) {
    const row = Buffer.from(bytes.subarray(start + 1, start + 1 + rowBytes));
    const predicted = filters[bytes[start]];
    for (let at = 0; at < rowBytes; at++) {
      if (at < pixelBytes) row[at] += predicted(0, above[at], 0);
      else row[at] += predicted(row[at - pixelBytes], above[at], above[at - pixelBytes]);
    }
    rows.push(row);
    above = row;
  }
  return rows;
}

function nearestOf(left, up, corner) {
  const [toLeft, toUp, toCorner] = [Math.abs(up - corner), Math.abs(left - corner), Math.abs(left + up - 2 * corner)];
  if (toLeft <= toUp && toLeft <= toCorner) return left;
  return toUp <= toCorner ? up : corner;
}

function colours(rows) {
  const counts = new Map();
  for (const row of rows) {
    for (let at = 0; at < row.length; at += pixelBytes) {
      const colour = row.readUIntBE(at, pixelBytes);
      counts.set(colour, (counts.get(colour) ?? 0) + 1);
    }
  }
  const frequent = [...counts].sort((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, 32);
  const indexes = new Map(frequent.map(([colour], index) => [colour, index]));
  const palette = Buffer.alloc(frequent.length * pixelBytes);
  for (const [index, [colour]] of frequent.entries()) palette.writeUIntBE(colour, index * pixelBytes, pixelBytes);
  return {
    palette,
    indexOf(colour) {
      if (!indexes.has(colour)) {
        const apart = frequent.map(([other]) =>
          [16, 8, 0].reduce((sum, bits) => sum + (((colour >> bits) & 255) - ((other >> bits) & 255)) ** 2, 0),
        );
        indexes.set(colour, apart.indexOf(Math.min(...apart)));
      }
      return indexes.get(colour);
    },
  };
}

function chunk(type, content) {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}
