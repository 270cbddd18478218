// What a browser says that it is, in the words of people.
import { expect, test } from '@jest/globals';
import { agentOf } from '../../../src/http/pipeline/agent.ts';

test.each([
  ['Firefox, Android', 'Mozilla/5.0 (Android 15; Mobile; rv:143.0) Gecko/143.0 Firefox/143.0'],
  ['Safari, iPhone', 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Mobile/15E148 Safari/604.1'],
  ['Chrome, iPhone', 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 CriOS/140.0 Mobile/15E148 Safari/604.1'],
  ['Edge, Windows', 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36 Edg/140.0'],
  ['Samsung Internet, Android', 'Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 SamsungBrowser/28.0 Chrome/130.0 Mobile Safari/537.36'],
  ['Safari, macOS', 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/18.0 Safari/605.1.15'],
  ['curl/8.5.0', 'curl/8.5.0'],
  ['', undefined],
])('%s', (said, userAgent) => {
  expect(agentOf({ headers: { 'user-agent': userAgent } } as never)).toBe(said);
});

test('is never long, and never more than plain letters', () => {
  expect(agentOf({ headers: { 'user-agent': 'x'.repeat(10_000) } } as never)).toHaveLength(64);
  expect(agentOf({ headers: { 'user-agent': 'a\u202eb\u0007' } } as never)).toBe('ab');
});
