// Text of a lock in a column. PostgreSQL has no U+0000 and no half of a surrogate pair, but the JSON of a lock may: such a character is stored
// as U+001B and four hex digits, and so is U+001B itself.

const mark = '\u001b';
const unusual = new RegExp(`[${'\\u0000\\u001b\\ud800-\\udfff'}]`);

/** The text in the form in which a column takes it. */
export function storableText(text: string): string {
  if (!unusual.test(text)) return text;
  let stored = '';
  // By code points: both halves of a pair come together.
  for (const character of text) {
    const isTaken = character.length === 2 || !unusual.test(character);
    stored += isTaken ? character : mark + character.charCodeAt(0).toString(16).padStart(4, '0');
  }
  return stored;
}

/** The text of which `stored` is the storable form. */
export function originalText(stored: string): string {
  if (!stored.includes(mark)) return stored;
  return stored.replaceAll(new RegExp(`${mark}([0-9a-f]{4})`, 'g'), (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}
