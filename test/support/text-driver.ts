// The simplest make of lock there could be: it obeys `<address>/command` and speaks on two topics of plain text, `<address>/state` and
// `<address>/event`. Its first state after it has subscribed begins its session.
import { z } from 'zod';
import { type LockCommand, wantedBy } from '../../src/domain/locks/lock-command.ts';
import type { DeviceKind, DeviceMessage, Effect } from '../../src/drivers/device-protocol.ts';
import { bareCapabilities } from './fake-driver.ts';

interface TextOptions {
  readonly address: string;
  readonly unlock: 'unlock' | 'unlatch';
}

function createTextProtocol({ address, unlock }: TextOptions) {
  let underWay: LockCommand | undefined;
  let hasBegun = false;
  let isOnline = false;

  function heardState(state: string): readonly Effect[] {
    if (!hasBegun || (state !== 'locked' && state !== 'unlocked')) return [];
    if (!isOnline) {
      isOnline = true;
      return [{ kind: 'online', hello: { state } }];
    }
    if (underWay === undefined || wantedBy(underWay) !== state) return [{ kind: 'state', state }];
    underWay = undefined;
    return [{ kind: 'end', outcome: { kind: 'ok', state } }];
  }

  return {
    begin() {
      hasBegun = true;
      return [];
    },
    hear({ topic, payload }: DeviceMessage): readonly Effect[] {
      if (topic === `${address}/state`) return heardState(payload.toString());
      return topic === `${address}/event` ? [{ kind: 'event', event: { type: payload.toString() } }] : [];
    },
    command(command: LockCommand) {
      if (wantedBy(command) === undefined) return { refuse: 'not-supported', message: '' } as const;
      underWay = command;
      const payload = command.op === 'unlock' ? unlock : command.op;
      return [{ kind: 'publish', topic: `${address}/command`, payload }] as const;
    },
    expire() {
      underWay = undefined;
      return [];
    },
    wake: () => [],
  };
}

export const textKind: DeviceKind<TextOptions> = {
  kind: 'text',
  schema: z.strictObject({
    kind: z.literal('text'),
    address: z.string().regex(/^[a-z]+$/, 'must be small letters'),
    unlock: z.enum(['unlock', 'unlatch'], 'must be unlock or unlatch').default('unlock'),
  }),
  address: ({ address }) => address,
  prefixes: ({ address }) => [`${address}/`],
  commandTopics: ({ address }) => [`${address}/command`],
  capabilities: () => bareCapabilities,
  alwaysSends: ({ unlock }, op) => op === 'unlock' && unlock === 'unlatch',
  create: ({ options }) => createTextProtocol(options),
};
