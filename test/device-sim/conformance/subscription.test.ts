// Whom the tool refuses, and what counts as said for a lock whose SUBSCRIBE was refused, when a hub speaks for several.
import { beforeEach, expect, test } from '@jest/globals';
import { whileSubscriptionIsRefused } from '../../../device-sim/conformance/checks/subscription.ts';
import type { Link } from '../../../device-sim/conformance/relay.ts';
import type { LockSession } from '../../../device-sim/conformance/session.ts';
import { createTrace, type Entry, type Trace } from '../../../device-sim/conformance/trace.ts';

const [ours, other] = ['a4c1387f02e9', 'a4c1387f02ea'];
let trace: Trace;
let toHub: string[];
let link: Link;
beforeEach(() => {
  trace = createTrace();
  toHub = [];
  link = {
    ...{ number: 1, connect: undefined, isOpen: true, cut: () => undefined },
    toLock: (bytes: Buffer) => void toHub.push(bytes.toString('hex')),
  } as Partial<Link> as Link;
});

const asks = (packetId: number, deviceId: string | undefined): Entry => ({
  ...{ kind: 'subscribe', at: 0, link, packetId },
  filters: [{ filter: `latchd/v1/${deviceId}/command`, qos: 1 }],
});
const granted = (packetId: number): Entry => ({ kind: 'suback', at: 0, link, packetId, codes: [1] });
const says = (): Entry => ({ kind: 'said', link, channel: 'hello', topic: `latchd/v1/${ours}/hello` }) as Entry;

/** The verdict on a hub that subscribes for another lock, then for ours, and does this once ours was refused. */
function verdictOn(...then: readonly Entry[]) {
  const session = {
    ...{ deviceId: ours, hubId: '020001f00001', topicRoot: 'latchd/v1', trace, whenBack: async () => undefined },
    link: { ...link, cut: () => [asks(1, other), asks(2, ours)].forEach(trace.add) },
    hold: (fits: (entry: Entry) => boolean) => ({
      get entries() {
        return [granted(1), granted(2)].filter((entry) => fits(entry));
      },
      release: () => undefined,
      drop: () => undefined,
    }),
    quiet: async () => then.forEach(trace.add),
  };
  return whileSubscriptionIsRefused(session as unknown as LockSession, []);
}

test('the lock that is meant is refused, and no other', async () => {
  expect(await verdictOn()).toEqual({ verdict: 'held' });
  expect(toHub).toEqual(['9003000280']);
});

test('a hub that speaks for it all the same is found', async () => {
  expect(await verdictOn(says())).toMatchObject({ verdict: 'broken', came: `a publish on latchd/v1/${ours}/hello` });
});

test('one that has asked again, and was granted it, may speak for it', async () => {
  expect(await verdictOn(asks(3, ours), granted(3), says())).toEqual({ verdict: 'held' });
  expect(await verdictOn(asks(4, other), granted(4), says())).toMatchObject({ verdict: 'broken' });
});
