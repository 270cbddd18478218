// Everything about access at once, through the real daemon, judged by an oracle of brute force: what people want, what phones do at the
// locks, and what goes wrong, in a random order. Longer, and with other seeds: `npm run test:faults -- access`.
import { expect, test } from '@jest/globals';
import { accessRound } from '../support/access-trials.ts';

test('each lock ends with what is wanted, less what somebody took off at it, beside strangers nobody touched; a one-time code opens once', async () => {
  const { faults } = await accessRound({ seed: 1, things: 150 });
  expect(faults).toEqual([]);
});
