// Completions in the order of arrival [MQTT-4.6.0-2].
import { expect, test } from '@jest/globals';
import type { Receipt } from '../../src/broker/client-handlers.ts';
import { type Due, OrderedAcks } from '../../src/broker/ordered-acks.ts';
import { createManualClock } from '../support/mqtt-clock.ts';

test('whatever ends first waits for all before it, and what ends with nothing before it is answered with those behind it', async () => {
  const answered: number[] = [];
  const failed: unknown[] = [];
  const owner = {
    answer: (_receipt: Receipt, { messageIds }: Due) => void answered.push(...messageIds),
    fail: (error: unknown) => void failed.push(error),
  };
  const acks = new OrderedAcks(owner, { clock: createManualClock(), timeoutMs: 1_000, hold: () => () => {} });
  const end: ((receipt: Receipt) => void)[] = [];
  for (const messageId of [1, 2, 3]) {
    acks.add(new Promise<Receipt>((resolve) => void end.push(resolve)), 10, { messageIds: [messageId], goOn: undefined });
  }
  acks.add('acknowledge', 10, { messageIds: [4], goOn: undefined });
  const complete = async (index: number) => {
    end[index]?.('acknowledge');
    await new Promise((resolve) => setImmediate(resolve));
    return [...answered];
  };
  expect([await complete(2), await complete(1), acks.size()]).toEqual([[], [], 4]);
  expect([await complete(0), acks.size(), failed]).toEqual([[1, 2, 3, 4], 0, []]);
});
