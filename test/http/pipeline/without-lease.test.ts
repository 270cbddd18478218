// What becomes known of a request that was sent on to the node that serves.
import { expect, test } from '@jest/globals';
import type { AccountId } from '../../../src/domain/accounts/account.ts';
import type { Forwarding } from '../../../src/http/peers/forwarding.ts';
import type { RequestContext } from '../../../src/http/pipeline/request-context.ts';
import { createWithoutLease } from '../../../src/http/pipeline/without-lease.ts';

/** Sends a request on to a node that says this beside its answer; resolves with the request, and the accounts that are known then. */
async function sentOn(...said: readonly [string | undefined, AccountId | undefined]) {
  const known: AccountId[] = [];
  const context = { requestId: 'own', isForwarded: false, request: { method: 'GET' } } as unknown as RequestContext;
  const forwarding = {
    async send(_request, _response, { onAnswer }) {
      onAnswer(...said);
      return 'ended';
    },
  } as Forwarding;
  const { sendOn } = createWithoutLease({
    ...{ clock: { monotonic: () => 0 }, lease: { leftMs: () => 0 }, standsIn: () => false, forwarding, closing: () => false },
    onKnown: (of, accountId) => void (of === context && known.push(accountId)),
    refuse: (_context, error) => {
      throw error;
    },
  });
  await sendOn(context);
  return { context, known };
}

test('its client is known once the node that serves has found a valid token, and the log has the id that its client saw', async () => {
  const { context, known } = await sentOn('theirs', 7 as AccountId);
  expect([context.requestId, context.isForwarded, known]).toEqual(['theirs', true, [7]]);
});

test('its client stays a stranger without one', async () => {
  const { context, known } = await sentOn(undefined, undefined);
  expect([context.requestId, known]).toEqual(['own', []]);
});
