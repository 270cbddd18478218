// The API asked at random from its own document: no answer is a bug's, none is one that the document does not promise, and what the
// document allows is not refused as malformed (HTTP API 1 and 4).
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type ApiDocument, createJudge } from '../../support/api-document.ts';
import { fuzzRequests, sendFuzz, wrongRefusal } from '../../support/api-fuzzer.ts';
import { lockId } from '../../support/domain.ts';
import { createCardMemory } from '../../support/fake-link.ts';
import { serveDomain } from '../../support/served-domain.ts';

const update = { state: 'off', version: null, reason: null, askedDate: null, lookedDate: null };
const gatewayStatus = () => ({ version: '0', update, uptimeSeconds: 0, locks: 2, online: 1, pairingOpen: false, pendingDevices: 0 });

describe('fuzz', () => {
  test('every answer to random requests in random order is one that the document describes', async () => {
    const first = await serveDomain(gatewayStatus);
    const document = (await (await fetch(`${first.origin}/openapi.json`)).json()) as ApiDocument;
    await first.server.stop();
    const judge = createJudge(document);
    const asked = new Map<string, Set<number>>();
    await fc.assert(
      fc.asyncProperty(fc.array(fuzzRequests(document), { minLength: 20, maxLength: 40, size: 'max' }), async (requests) => {
        const world = await serveDomain(gatewayStatus);
        world.link.reply(lockId, createCardMemory().replier);
        const tokens = [world.tokens.admin, world.tokens.administrator, world.tokens.operator, world.tokens.admin];
        try {
          for (const request of requests) {
            const answer = await sendFuzz(world.origin, request, tokens);
            expect(judge.wrong(answer) ?? wrongRefusal(request, answer)).toBeUndefined();
            asked.set(request.operationId, (asked.get(request.operationId) ?? new Set()).add(answer.status));
          }
        } finally {
          await world.server.stop();
        }
      }),
      { seed: 20_261_121, numRuns: 25, endOnFailure: true },
    );
    // It got somewhere: nearly every operation was asked, and many have done their work.
    const done = [...asked].filter(([, statuses]) => statuses.has(200) || statuses.has(201));
    expect(asked.size).toBeGreaterThan(40);
    expect(done.length).toBeGreaterThan(20);
  });
});
