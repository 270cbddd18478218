// The daemon asked at random from its own document: it answers nothing that is not there, meets no bug, and serves on (HTTP API 1 and 4).
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type ApiDocument, createJudge } from '../support/api-document.ts';
import { fuzzRequests, sendFuzz, wrongRefusal } from '../support/api-fuzzer.ts';
import { openSite } from '../support/site.ts';

test('200 random requests are answered as the document says, and the doors still work after them', async () => {
  const site = await openSite({ locks: [{}, {}] });
  try {
    const { httpUrl, token } = site.gateway;
    const document = (await (await fetch(`${httpUrl}/openapi.json`)).json()) as ApiDocument;
    const judge = createJudge(document);
    const tokens = [token, await site.account('ada', true), await site.account('ole')];
    // The administrator stays, to look at it afterwards.
    const spared = new Set(['deleteToken', 'deleteAccount', 'deleteLock', 'renewLockKey', 'changeRegisteredLock', 'appointAdministrator']);
    const requests = fc.sample(fuzzRequests(document), { seed: 7, numRuns: 300 }).filter(({ operationId }) => !spared.has(operationId));
    expect(requests.length).toBeGreaterThan(200);
    for (const request of requests) {
      const answer = await sendFuzz(httpUrl, request, tokens);
      expect(judge.wrong(answer) ?? wrongRefusal(request, answer)).toBeUndefined();
    }
    expect(site.gateway.log.filter(({ level }) => level === 50 || level === 'error')).toEqual([]);
    const moved = await site.api('POST', '/api/v1/lock/unlock', { query: { lockId: site.lockId(2) } });
    expect([moved.status, moved.body]).toEqual([200, { success: true }]);
  } finally {
    await site.close();
  }
});
