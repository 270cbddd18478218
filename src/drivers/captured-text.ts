// Blanks the digits of codes in a payload, and leaves every other character as it is.

/** Members whose values a person types at a door or a login. */
const ofCodes = secretsIn('code', 'pin', 'pin_code', 'userCode', 'last_used_pin_code', 'password');
/** The same, and those of our own protocol that may be the number of a card as well. */
const ofNumbers = secretsIn('credential', 'number', 'code', 'cardNumber');

/** A string, also one that is cut off; a bracket, comma or colon; blanks; or anything else up to the next of those. */
const tokens = /"(?:[^"\\]|\\[\s\S])*"?|[[\]{},:]|\s+|[^\s[\]{},:"]+/g;

/**
 * The text with each digit of the value of such a member as `#`, at any depth, and each digit of a string that quotes one. It need not be
 * well-formed JSON: half of one, or several in a row, lose their codes as well.
 */
export function withoutCodes(text: string): string {
  return blanked(text, ofCodes);
}

/** The same for a message of a lock that nobody understands: no digit is left of the number of a credential, nor of what is no JSON. */
export function withoutNumbers(text: string): string {
  return /^\s*[[{]/.test(text) ? blanked(text, ofNumbers) : text.replaceAll(/\d/g, '#');
}

interface Secrets {
  /** The names of members. */
  readonly names: ReadonlySet<string>;
  /** Within a string that quotes other text, such as a line of a log: `\"pin_code\":`. */
  readonly quoted: RegExp;
}

function secretsIn(...names: readonly string[]): Secrets {
  return { names: new Set(names), quoted: new RegExp(`\\\\"(?:${names.join('|')})\\\\"`) };
}

function blanked(text: string, { names, quoted }: Secrets): string {
  /** How many brackets are open. */
  let depth = 0;
  /** The string before a colon may be the name of a member. */
  let before = '';
  /** Within the value of a secret member that began at this depth. */
  let secretAt: number | undefined;
  return text.replaceAll(tokens, (token) => {
    if (token.trim() === '') return token;
    if (token === '}' || token === ']') depth--;
    const hasEnded = secretAt !== undefined && (token === ',' ? depth <= secretAt : depth < secretAt);
    if (hasEnded) secretAt = undefined;
    if (token === '{' || token === '[') depth++;
    if (token === ':' && secretAt === undefined && mayName(names, before)) secretAt = depth;
    before = token;
    return secretAt === undefined && !quoted.test(token) ? token : token.replaceAll(/\d/g, '#');
  });
}

/** Whether this token may be one of the names. Nobody needs escapes in a name: one that has some may be any. */
function mayName(names: ReadonlySet<string>, token: string): boolean {
  return token.startsWith('"') && (token.includes('\\') || names.has(token.slice(1, -1)));
}
