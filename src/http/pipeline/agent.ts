// What a browser says that it is, in the words that people use for it: "Firefox, Android".
import type { IncomingMessage } from 'node:http';

/** In this order: most browsers also name the ones that they are like. */
const browsers: readonly (readonly [name: string, sign: RegExp])[] = [
  ['Edge', /\bEdg(?:e|A|iOS)?\//],
  ['Opera', /\bOPR\//],
  ['Samsung Internet', /\bSamsungBrowser\//],
  ['Firefox', /\b(?:Firefox|FxiOS)\//],
  ['Chrome', /\b(?:Chrome|Chromium|CriOS)\//],
  ['Safari', /\bSafari\//],
];
const systems: readonly (readonly [name: string, sign: RegExp])[] = [
  ['iPhone', /\biPhone\b/],
  ['iPad', /\biPad\b/],
  ['Android', /\bAndroid\b/],
  ['Windows', /\bWindows\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['macOS', /\bMacintosh\b/],
  ['Linux', /\bLinux\b/],
];

const charactersAtMost = 64;

/** Never more than 64 characters; "" when it says nothing. Of a program its own first word, such as `curl/8.5.0`. */
export function agentOf({ headers }: IncomingMessage): string {
  const said = headers['user-agent'] ?? '';
  const known = [browsers, systems].flatMap((names) => names.find(([, sign]) => sign.test(said))?.[0] ?? []);
  const text = known.length > 0 ? known.join(', ') : (said.split(' ')[0] ?? '');
  return text.replace(/[^\x20-\x7e]/g, '').slice(0, charactersAtMost);
}
