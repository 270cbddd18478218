// counters.json stores, for each kind of number, the highest one that may have been given out, and the group names. It is written before a
// number is given out.
import { z } from 'zod';
import type { CounterStore } from '../../../domain/counters.ts';
import { DomainError } from '../../../domain/errors.ts';
import type { FileLayer } from '../files.ts';
import { createReservedIds, type IdFloor, type ReservedIds } from '../reserved-ids.ts';
import { type BeforeUpgrade, createDocument, type Document } from './document.ts';
import type { DocumentFormat } from './document-format.ts';

const floor = z.int().min(0);

const counters = z.strictObject({
  lockId: floor,
  cardId: floor,
  accountId: floor,
  tokenId: floor,
  recordId: floor,
  webhookId: floor,
  groupId: floor,
  start: floor,
  personId: floor,
  credentialId: floor,
  grantId: floor,
  scheduleId: floor,
  revocationId: floor,
  suggestionId: floor,
  passkeyId: floor,
  ttlockLoginId: floor,
  groups: z.array(z.strictObject({ groupId: z.int().min(1), name: z.string().min(1) })),
});
export type Counters = z.infer<typeof counters>;
export const counterFormat: DocumentFormat<Counters> = {
  schemaVersion: 7,
  upgrades: { 1: withAllFloors, 2: withStarts, 3: withPeople, 4: withSuggestions, 5: withPasskeys, 6: withTtlockLogins },
  schema: counters,
};
type CounterKind = Exclude<keyof Counters, 'groups'>;

export interface CounterFile extends CounterStore {
  readonly document: Document<Counters>;
  floor(kind: CounterKind): IdFloor;
  /** Never gives out a number up to these again. Writes only when a counter rises. */
  raise(floors: Partial<Record<CounterKind, number>>): Promise<void>;
  /** Gives back the ids that were reserved but not used, and waits for the last write. */
  close(): Promise<void>;
}

/** How many of these can be added per write of counters.json. */
const idBlock = 100;
/** Ids of what is added in numbers. */
const inBlocks = ['cardId', 'personId', 'credentialId', 'grantId', 'suggestionId'] as const;
type KindInBlocks = (typeof inBlocks)[number];

/** The counters of a gateway without any data. */
export const noCounters: Counters = {
  lockId: 0,
  cardId: 0,
  accountId: 0,
  tokenId: 0,
  recordId: 0,
  webhookId: 0,
  groupId: 0,
  start: 0,
  personId: 0,
  credentialId: 0,
  grantId: 0,
  scheduleId: 0,
  revocationId: 0,
  suggestionId: 0,
  passkeyId: 0,
  ttlockLoginId: 0,
  groups: [],
};

/**
 * More numbers than can have been given out since a backup: records at the highest rate that a gateway accepts, all others at the speed of
 * people.
 */
const leaps: Readonly<Record<CounterKind, number>> = {
  lockId: 1e6,
  cardId: 1e6,
  accountId: 1e6,
  tokenId: 1e6,
  webhookId: 1e6,
  groupId: 1e6,
  start: 1e5,
  personId: 1e6,
  credentialId: 1e6,
  grantId: 1e6,
  scheduleId: 1e6,
  revocationId: 1e6,
  suggestionId: 1e6,
  passkeyId: 1e6,
  ttlockLoginId: 1e6,
  recordId: 1e9,
};
const perSecond: Partial<Record<CounterKind, number>> = { recordId: 1_000, start: 1 / 60 };
const leapFrom = Date.UTC(2020, 0, 1);

/**
 * The counters for a gateway that is restored from a backup: far above every number that the gateway may have given out after the backup.
 * They also follow the clock, so that a second restore of the same backup begins above the numbers given out after the first restore: one
 * number a second since 2020 (for records a thousand, for starts one a minute), or a leap each, whichever is more.
 */
export function leapt(counters: Counters, now: number): Counters {
  const seconds = Math.floor((now - leapFrom) / 1_000);
  const led = Object.entries(leaps).map(([kind, leap]) => {
    const byClock = Math.floor(seconds * (perSecond[kind as CounterKind] ?? 1));
    return [kind, Math.max(counters[kind as CounterKind] + leap, byClock)];
  });
  return { ...counters, ...Object.fromEntries(led) };
}

/**
 * `inUse` returns the highest cardId in use, and is called before the first new one is given out; the numbers of other kinds are known at
 * the start.
 */
export function createCounterFile(
  files: FileLayer,
  path: string,
  beforeUpgrade?: BeforeUpgrade,
  inUse: () => Promise<number> = async () => 0,
): CounterFile {
  const reserved = new Map<KindInBlocks, Promise<ReservedIds>>();
  const document = createDocument({ files, path, format: counterFormat, beforeUpgrade });
  const groupOf = (name: string, { groups }: Counters): number | undefined => groups.find((group) => group.name === name)?.groupId;
  async function raise(floors: Partial<Record<CounterKind, number>>): Promise<void> {
    await document.update((now) => {
      const rising = Object.entries(floors).filter(([kind, number]) => number > now[kind as CounterKind]);
      return rising.length === 0 ? now : { ...now, ...Object.fromEntries(rising) };
    });
  }
  const floor = (kind: CounterKind): IdFloor => ({
    now: () => document.current()[kind],
    raise: (upTo) => raise({ [kind]: upTo }),
    async set(to) {
      await document.update((now) => ({ ...now, [kind]: to }));
    },
  });
  /** Of what is in the file already, only cards are not counted at the start. */
  function reservedIds(kind: KindInBlocks): Promise<ReservedIds> {
    const known = reserved.get(kind);
    if (known !== undefined) return known;
    const ids = (kind === 'cardId' ? inUse() : Promise.resolve(0)).then(
      (highest) => createReservedIds(floor(kind), idBlock, highest),
      (error: unknown) => {
        reserved.delete(kind);
        throw error;
      },
    );
    reserved.set(kind, ids);
    return ids;
  }
  return {
    document,
    floor,
    async next(kind) {
      if (isInBlocks(kind)) {
        const ids = await reservedIds(kind);
        while (!ids.has(1)) await ids.reserve(1);
        return ids.take();
      }
      const after = await document.update((now) => ({ ...now, [kind]: now[kind] + 1 }));
      return after[kind];
    },
    async groupId(name) {
      if (name === '') return 0;
      const known = groupOf(name, document.current());
      if (known !== undefined) return known;
      const after = await document.update((now) => {
        if (groupOf(name, now) !== undefined) return now;
        const groupId = now.groupId + 1;
        return { ...now, groupId, groups: [...now.groups, { groupId, name }] };
      });
      return groupOf(name, after) as number;
    },
    groupIds: () => document.current().groups.map(({ groupId }) => groupId),
    async orderGroups(groupIds) {
      await document.update((now) => {
        const byId = new Map(now.groups.map((group) => [group.groupId, group]));
        const first = groupIds.map((groupId) => {
          const group = byId.get(groupId);
          if (group === undefined) throw new DomainError('not-found', `there is no group ${groupId}`);
          byId.delete(groupId);
          return group;
        });
        return { ...now, groups: [...first, ...byId.values()] };
      });
    },
    raise,
    async close() {
      for (const ids of reserved.values()) await (await ids).giveBack();
      await document.idle();
    },
  };
}

/**
 * Schema 1 had no floor for webhooks and none for groups: both stored it themselves. Other content passes unchanged, and the schema rejects
 * it.
 */
function withAllFloors(content: unknown): unknown {
  if (typeof content !== 'object' || content === null || !('groups' in content) || !Array.isArray(content.groups)) return content;
  const groupIds = content.groups.map((group: { readonly groupId?: number } | null) => group?.groupId ?? 0);
  return { webhookId: 0, groupId: Math.max(0, ...groupIds), ...content };
}

/** Schema 2 did not count starts. */
function withStarts(content: unknown): unknown {
  return typeof content === 'object' && content !== null ? { start: 0, ...content } : content;
}

/** Schema 3 had no people, and nothing that they lose. */
function withPeople(content: unknown): unknown {
  const none = { personId: 0, credentialId: 0, grantId: 0, scheduleId: 0, revocationId: 0 };
  return typeof content === 'object' && content !== null ? { ...none, ...content } : content;
}

/** Schema 4 did not count suggestions: their ids began with the clock. */
function withSuggestions(content: unknown): unknown {
  return typeof content === 'object' && content !== null ? { suggestionId: 0, ...content } : content;
}

/** Schema 5 had no passkeys. */
function withPasskeys(content: unknown): unknown {
  return typeof content === 'object' && content !== null ? { passkeyId: 0, ...content } : content;
}

/** Schema 6 had no TTLock logins. */
function withTtlockLogins(content: unknown): unknown {
  return typeof content === 'object' && content !== null ? { ttlockLoginId: 0, ...content } : content;
}

function isInBlocks(kind: string): kind is KindInBlocks {
  return (inBlocks as readonly string[]).includes(kind);
}
