// Locks all doors of a group, after a question, and says of each door what came of it.
import { useState } from 'preact/hooks';
import { useApp, useStrings } from '../app.ts';
import type { BoardGroup } from '../board/board.ts';
import { Button } from '../components/button.tsx';
import { Dialog, FormDialog } from '../components/dialog.tsx';
import { Icon } from '../components/icon.tsx';
import { useTexts } from './texts.ts';

interface LockResult {
  readonly lockId: number;
  /** `locked`, or why not. */
  readonly result: string;
}

interface LockGroupProps {
  readonly group: BoardGroup;
  readonly onClose: () => void;
}

export function LockGroup({ group, onClose }: LockGroupProps) {
  const { client } = useApp();
  const { locks: strings } = useStrings();
  const texts = useTexts();
  const [results, setResults] = useState<readonly LockResult[]>();
  if (results !== undefined) return <Report group={group} results={results} onClose={onClose} />;
  return (
    <FormDialog
      title={strings.lockAllOf(group.name)}
      submit={strings.lockAll}
      onClose={onClose}
      explain={({ code }) => (code === 'forbidden' ? texts.managesNotAll : undefined)}
      onSubmit={async () => {
        const path = `gateway/groups/${group.groupId}/lock`;
        // So many doors at a time: with many that do not answer it takes minutes, and the last must not be left open for that.
        const { locks } = await client.ask<{ locks: readonly LockResult[] }>('POST', path, { isPatient: true });
        setResults(locks);
      }}
    >
      {() => <p>{texts.lockAllText(group.doors.length)}</p>}
    </FormDialog>
  );
}

/** The doors that are not locked come first. */
function Report({ group, results, onClose }: LockGroupProps & { readonly results: readonly LockResult[] }) {
  const { common, lock, states, alarmKinds, problems } = useStrings();
  const { live } = useApp();
  const texts = useTexts();
  const names = new Map(group.doors.map(({ lockId, name }) => [lockId, name]));
  const nameOf = (lockId: number) => live.locks.value?.get(lockId)?.lockAlias ?? names.get(lockId) ?? String(lockId);
  const open = results.filter(({ result }) => result !== 'locked');
  const words: Readonly<Record<string, string>> = { locked: states.locked, offline: states.offline, jammed: alarmKinds['jammed'] ?? '' };
  const wordOf = (result: string) => words[result] ?? texts.results[result] ?? lock.refused[result] ?? problems[result] ?? result;
  return (
    <Dialog title={texts.report(group.name)} onClose={onClose}>
      <div class="form">
        <p class={open.length > 0 ? 'outcome bad' : 'outcome good'} role="status">
          {texts.locked(results.length - open.length, results.length)}
        </p>
        <ul class="door-report">
          {[...open, ...results.filter(({ result }) => result === 'locked')].map(({ lockId, result }) => (
            <li key={lockId} class={result === 'locked' ? 'good' : 'bad'}>
              <Icon name={result === 'locked' ? 'check' : 'alert'} />
              <strong>{nameOf(lockId)}</strong>
              <span>{wordOf(result)}</span>
            </li>
          ))}
        </ul>
        <div class="buttons">
          <Button kind="main" onClick={onClose}>
            {common.close}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
