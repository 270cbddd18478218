// One lock: its present state, and the commands that it takes.
import type { Alarm } from '../api/types.ts';
import { useApp, useStrings } from '../app.ts';
import { Ago, LocksIn } from '../components/ago.tsx';
import { BoltControl } from '../components/bolt.tsx';
import { Button } from '../components/button.tsx';
import { Callout } from '../components/callout.tsx';
import { CapabilityList, Warnings } from '../components/capabilities.tsx';
import { Battery, isUnsure, LockState, Online } from '../components/lock-facts.tsx';
import { LockHead } from '../components/lock-head.tsx';
import { useProblemText } from '../format.ts';
import { AutoLock } from './lock-auto-lock.tsx';
import { LockBattery } from './lock-battery.tsx';
import { LockDetails, useLockDetail } from './lock-details.tsx';
import { Passage } from './lock-passage.tsx';
import type { PageProps } from './page.ts';

export function LockPage({ parameters }: PageProps) {
  const lockId = Number(parameters['lockId']);
  const { live } = useApp();
  const { states } = useStrings();
  const { lock: strings } = useStrings();
  const alarms = live.alarms.value.filter((alarm) => alarm.lockId === lockId);
  const isAdministrator = live.locks.value?.get(lockId)?.role === 'administrator';
  const detail = useLockDetail(lockId, isAdministrator);

  return (
    <LockHead lockId={lockId} section="overview">
      {(lock) => (
        <>
          {alarms.map((alarm) => (
            <LockAlarm key={alarm.kind} alarm={alarm} />
          ))}
          <Warnings capabilities={lock.capabilities} />
          {isUnsure(lock) && <Callout kind="warning">{strings.unsureNow}</Callout>}
          <section class="panel now" aria-label={states[lock.state ?? 'unknown']}>
            <div>
              <p class="big">
                <LockState lock={lock} />
              </p>
              {lock.stateDate !== null && (
                <p class="faint">
                  <Ago at={lock.stateDate} />
                </p>
              )}
              {lock.state === 'unlocked' && typeof lock.autoLockAt === 'number' && <LocksIn at={lock.autoLockAt} />}
              <p class="facts">
                <Online lock={lock} />
                <Battery lock={lock} />
              </p>
            </div>
            <BoltControl lock={lock} />
          </section>
          {lock.capabilities.battery !== 'none' && <LockBattery lock={lock} />}
          {lock.role !== 'operator' && lock.capabilities.autoLock && (!isAdministrator || detail.detail) && (
            <AutoLock lockId={lockId} seconds={detail.detail?.autoLockTime} onChange={detail.reload} />
          )}
          {lock.capabilities.settings && detail.detail && <Passage detail={detail.detail} onChange={detail.reload} />}
          {isAdministrator && <LockDetails {...detail} />}
          <section class="panel">
            <CapabilityList capabilities={lock.capabilities} />
          </section>
        </>
      )}
    </LockHead>
  );
}

function LockAlarm({ alarm: { kind, lockId, since, endsByItself } }: { alarm: Alarm }) {
  const { client, toasts } = useApp();
  const { alarmKinds, lock } = useStrings();
  const problemText = useProblemText();
  async function end(): Promise<void> {
    try {
      await client.ask('DELETE', `gateway/alarms/${kind}/${lockId}`);
      toasts.show('good', lock.seenToast);
    } catch (error) {
      toasts.show('bad', problemText(error));
    }
  }
  return (
    <Callout kind="warning">
      <p>
        <strong>{alarmKinds[kind] ?? kind}</strong>{' '}
        <span class="faint">
          · <Ago at={since} />
        </span>
      </p>
      {!endsByItself && <Button onClick={() => void end()}>{lock.seen}</Button>}
    </Callout>
  );
}
