// When a request for a facade has its turn, and whose it is then.
import { describe, expect, it } from '@jest/globals';
import { createFacadeAdmission } from '../../../src/http/pipeline/facade-admission.ts';
import { strangersBytesAtMost } from '../../../src/http/pipeline/json-body.ts';
import type { RequestContext } from '../../../src/http/pipeline/request-context.ts';
import type { Rank } from '../../../src/http/pipeline/request-scheduler.ts';
import type { Admission, FacadeRoute } from '../../../src/http/pipeline/route.ts';
import { callers } from '../../support/domain.ts';

const small = 'accessToken=right';
const large = small.padEnd(strangersBytesAtMost + 1, '&');

/** What happens to a request, one after the other; each turn comes at once, and is noted with its rank. */
async function admitted(body: string | Error, rank: Rank = 'known') {
  const happened: string[] = [];
  const context = { request: {} } as RequestContext;
  const admission = { rank, caller: callers.manager } as Admission;
  const facade = {
    readBody: async () => {
      if (typeof body !== 'string') throw body;
      return body;
    },
    admit(_request: unknown, text: string) {
      happened.push('looked through');
      if (!text.startsWith(small)) throw new Error('a wrong token');
      return admission;
    },
  } as unknown as FacadeRoute;
  const admit = createFacadeAdmission({
    turns: {
      take(ofRank, work) {
        happened.push(`turn of ${ofRank}`);
        work();
      },
    },
    onKnown: (_context, accountId) => happened.push(accountId === callers.manager.accountId ? 'known: max' : 'known: somebody else'),
    respond: async ({ admission: given }) => void happened.push(given === admission ? 'answered' : 'answered without admission'),
    refuse: (_context, error) => void happened.push(`refused: ${(error as Error).message}`),
  });
  await admit(context, facade);
  return { happened, context };
}

describe('a request for a facade', () => {
  it.each<Rank>(['door', 'known', 'stranger'])(
    'is looked through at once, and answered in the turn that the facade says: %s',
    async (rank) => {
      const { happened, context } = await admitted(small, rank);
      expect(happened).toEqual(['looked through', 'known: max', `turn of ${rank}`, 'answered']);
      expect(context.account).toBe('max');
    },
  );

  it('with a large body is looked through in the turn of a stranger', async () => {
    expect((await admitted(large)).happened).toEqual(['turn of stranger', 'looked through', 'known: max', 'turn of known', 'answered']);
  });

  it('that the facade does not admit is refused in the turn of a stranger', async () => {
    expect((await admitted('accessToken=wrong')).happened).toEqual(['looked through', 'turn of stranger', 'refused: a wrong token']);
  });

  it('whose body cannot be read is refused in the turn of a stranger', async () => {
    expect((await admitted(new Error('too large'))).happened).toEqual(['turn of stranger', 'refused: too large']);
  });
});
