// Blanks the digits of codes in a payload, and leaves every other character as it is.

/** Members whose values a person types at a door or a login. */
const secretMembers = new Set(['code', 'pin', 'pin_code', 'userCode', 'last_used_pin_code', 'password']);

/** Within a string that quotes other text, such as a line of a log: `\"pin_code\":`. */
const quotesSecrets = /\\"(?:code|pin|pin_code|userCode|last_used_pin_code|password)\\"/;

/** A string, also one that is cut off; a bracket, comma or colon; blanks; or anything else up to the next of those. */
const tokens = /"(?:[^"\\]|\\[\s\S])*"?|[[\]{},:]|\s+|[^\s[\]{},:"]+/g;

/**
 * The text with each digit of the value of such a member as `#`, at any depth, and each digit of a string that quotes one. It need not be
 * well-formed JSON: half of one, or several in a row, lose their codes as well.
 */
export function withoutCodes(text: string): string {
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
    if (token === ':' && secretAt === undefined && secretMembers.has(nameIn(before))) secretAt = depth;
    before = token;
    return secretAt === undefined && !quotesSecrets.test(token) ? token : token.replaceAll(/\d/g, '#');
  });
}

function nameIn(token: string): string {
  try {
    return String(JSON.parse(token));
  } catch {
    return '';
  }
}
