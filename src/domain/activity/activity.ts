// What happened in the building, as people ask for it (HTTP API 13.3).
import type { LockId } from '../locks/lock.ts';
import { type LockRecord, recordLabels } from '../records/record.ts';

export const activityKinds = ['unlock', 'lock', 'refused', 'alarm', 'door'] as const;
export type ActivityKind = (typeof activityKinds)[number];

/** An absent member does not filter. */
export interface ActivityFilter {
  readonly lockId?: LockId;
  /** 0: the locks that are in no group. */
  readonly groupId?: number;
  readonly personId?: number;
  readonly username?: string;
  readonly kind?: ActivityKind;
  readonly success?: boolean;
  /** Lowest and highest lockDate, both included. */
  readonly startDate?: number;
  readonly endDate?: number;
}

export interface ActivityLine {
  readonly record: LockRecord;
  readonly lockName: string;
  readonly lockAlias: string;
  /** null: a type of the lock's own. */
  readonly kind: ActivityKind | null;
  /** null: nobody's, or not known. */
  readonly personId: number | null;
  readonly personName: string | null;
}

const doorTypes = ['door-open', 'door-close'];
const alarmTypes = ['tamper', 'jammed', 'low-battery', 'duress'];
const typesEndingIn = (ending: string): string[] => Object.keys(recordLabels).filter((type) => type.endsWith(ending));

/** The types of each kind; of `refused` any. */
export const typesOfKind: Readonly<Partial<Record<ActivityKind, readonly string[]>>> = {
  unlock: typesEndingIn('-unlock'),
  lock: typesEndingIn('-lock'),
  alarm: alarmTypes,
  door: doorTypes,
};

const kindOfType: ReadonlyMap<string, ActivityKind> = new Map(
  (['unlock', 'lock', 'alarm', 'door'] as const).flatMap((kind) => (typesOfKind[kind] ?? []).map((type) => [type, kind] as const)),
);

export function activityKindOf({ type, success }: Pick<LockRecord, 'type' | 'success'>): ActivityKind | null {
  const kind = kindOfType.get(type) ?? null;
  return success || kind === 'alarm' || kind === 'door' ? kind : 'refused';
}
