// What the doctor sees of the broker of Home Assistant.
import { expect, test } from '@jest/globals';
import { checkHomeAssistant } from '../../../src/admin/doctor/home-assistant.ts';

const settings = { commands: false, prefix: 'latchd', discoveryPrefix: 'homeassistant', maxAgeMs: 5_000 };
const at = (url: string) => ({ homeAssistant: { ...settings, enabled: true, url, account: 'ha' } });
const well = { connected: true, gatewayId: '3f9c0a17', locks: 2, lastError: null, refused: {} };
const broker = 'mqtts://broker.example.org';

async function seen(config: ReturnType<typeof at>, report?: object, isOutsider = false) {
  const verdicts = await checkHomeAssistant(config, { answer: report && ({ homeAssistant: report } as never) }, isOutsider);
  return verdicts.map(({ verdict, seen: sentence }) => `${verdict} ${sentence}`);
}

test.each([
  ['that is well', {}, [`ok ${broker} is connected, and Home Assistant sees 2 locks`]],
  ['of whose locks none is announced', { locks: 0 }, [`warn ${broker} is connected, and Home Assistant sees 0 locks`]],
  [
    'that refuses something',
    { locks: 1, lastError: 'it does not take what is published to a' },
    [`ok ${broker} is connected, and Home Assistant sees 1 lock`, `warn ${broker} is connected: it does not take what is published to a`],
  ],
  [
    'that refuses the login',
    { connected: false, lastError: 'it refuses the user name or the password' },
    [`fail the broker of Home Assistant, ${broker}: it refuses the user name or the password`],
  ],
])('a broker %s is said to be so', async (_which, more, sentences) => {
  expect(await seen(at(broker), { ...well, ...more })).toEqual(sentences);
});

test('without a daemon the login is tried, by who may read its password; in clear it is warned of, and off it is not spoken of', async () => {
  expect(await seen(at('mqtt://127.0.0.1:1'), undefined)).toEqual([
    'fail the broker of Home Assistant, mqtt://127.0.0.1:1: nothing answers at its host and port',
  ]);
  expect(await seen(at('mqtt://192.0.2.1'), undefined, true)).toEqual([
    expect.stringMatching(/^warn cannot tell as this user/),
    expect.stringContaining('what is said to 192.0.2.1 is in clear'),
  ]);
  const off = { homeAssistant: { ...at(broker).homeAssistant, enabled: false } };
  expect(await seen(off)).toEqual([]);
});
