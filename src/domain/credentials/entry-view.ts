// Entries as managers of their lock see them.
import type { LocalPeopleView } from '../people/people-ports.ts';
import type { CredentialId, PersonId } from '../people/person.ts';
import type { Entry, ValidWindow } from './entry.ts';
import type { EntryState } from './entry-status.ts';
import type { WantedView } from './wanted-view.ts';

export interface EntryView {
  readonly entry: Entry;
  readonly state: EntryState;
  /** As wanted; of what nobody wants, as held. */
  readonly window: ValidWindow | null;
  readonly personId: PersonId | null;
  readonly grantIds: readonly number[];
}

const entriesAtOnce = 100;

/** In their order. It yields now and then, so that other work may run: a lock may have many. */
export function* entryViews(entries: readonly Entry[], { view, stateOf, people }: ViewPorts): Generator<undefined, readonly EntryView[]> {
  const shown: EntryView[] = [];
  let seen = 0;
  for (const entry of entries) {
    if (++seen % entriesAtOnce === 0) yield;
    const { credentialId } = entry;
    const person = credentialId === null ? undefined : people.byCredential(credentialId as CredentialId);
    const window = view.wanted(entry) ?? entry.held?.window ?? entry.direct;
    const { grantIds = [] } = view.grantedOf(entry) ?? {};
    shown.push({ entry, state: stateOf(entry), window, personId: person?.personId ?? null, grantIds });
  }
  return shown;
}

interface ViewPorts {
  readonly view: WantedView;
  readonly stateOf: (entry: Entry) => EntryState;
  readonly people: Pick<LocalPeopleView, 'byCredential'>;
}
