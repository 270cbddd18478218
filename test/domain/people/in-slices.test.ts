import { describe, expect, it } from '@jest/globals';
import { createOwnTurns } from '../../../src/domain/people/in-slices.ts';

describe('turns of their own', () => {
  it('lets other work run between any two that ask at once', async () => {
    const ownTurn = createOwnTurns(() => new Promise((resolve) => setImmediate(resolve)));
    const seen: string[] = [];
    const work = async (name: string) => {
      await ownTurn();
      seen.push(name);
      setImmediate(() => seen.push(`after ${name}`));
    };
    await Promise.all([work('first'), work('second'), work('third')]);
    await ownTurn();
    expect(seen).toEqual(['first', 'after first', 'second', 'after second', 'third', 'after third']);
  });
});
