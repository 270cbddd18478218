// The answers of the services of the board and the activity to the samples of their descriptions.
import type { BoardLock } from '../../src/domain/board/board-service.ts';
import type { LockId } from '../../src/domain/locks/lock.ts';
import { type FakeServices, sampleLock, sampleRecord } from './fake-services.ts';

const front: BoardLock = {
  ...{ lockId: 7 as LockId, alias: 'Front door', state: 'unlocked', stateSure: true, stateAt: 1_763_715_600_000, online: true },
  ...{ batteryPercent: 83, alarms: [], passage: false, autoLockAt: 1_763_715_605_000 },
  last: { recordId: 1201, type: 'card-unlock', username: 'Maria', success: true, lockDate: 1_763_715_500_000 },
};
const cellar: BoardLock = {
  ...{ lockId: 4 as LockId, alias: 'Cellar', state: null, stateSure: false, stateAt: null, online: false },
  ...{ batteryPercent: null, alarms: ['offline'], passage: false, autoLockAt: null, last: null },
};

/** `asked` makes a method that notes its call and gives this answer. */
export function answerAboutBoard(
  { board, activity, groupLock }: Pick<FakeServices, 'board' | 'activity' | 'groupLock'>,
  asked: <T>(name: string, answer: T) => (...args: readonly unknown[]) => T,
): void {
  const nothing = Promise.resolve();
  Object.assign(board, {
    version: () => 'k3Vq0ZtT',
    board: async () => ({
      groups: [
        { groupId: 2, name: 'Ground floor', locks: [front] },
        { groupId: 0, name: '', locks: [cellar] },
      ],
      attention: [{ lockId: cellar.lockId, kind: 'offline', since: 1_763_715_000_000 }],
      favourites: [front.lockId],
    }),
    orderGroups: asked('orderGroups', nothing),
    chooseFavourites: asked('chooseFavourites', nothing),
  });
  const atLock = { lockName: sampleLock.name, lockAlias: sampleLock.alias };
  const failed = { ...sampleRecord, recordId: 1200, type: 'passcode-unlock', success: false, credential: '', username: '' };
  activity.page = async () => ({
    list: [
      { ...atLock, record: sampleRecord, kind: 'unlock', personId: 5, personName: 'Erika M.' },
      {
        ...{ ...atLock, kind: 'refused', personId: null, personName: null },
        record: { ...failed, reason: 'unknown-credential', lockDate: 1_763_715_400_000, serverDate: 1_763_715_401_000 },
      },
    ],
    next: 1200,
  });
  groupLock.lockGroup = async () => [
    { lockId: cellar.lockId, result: 'offline' },
    { lockId: front.lockId, result: 'locked' },
    { lockId: 9 as LockId, result: 'jammed' },
  ];
}
