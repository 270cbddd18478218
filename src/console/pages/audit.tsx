// The audit log: who changed what, when, from where, and with what outcome.
import type { AuditEntry } from '../api/types.ts';
import { useApp, useStrings } from '../app.ts';
import { useAskedList } from '../components/asked-list.ts';
import { AskedRows } from '../components/asked-table.tsx';
import { PageHead } from '../components/page-head.tsx';
import { useFormats } from '../format.ts';
import { auditWords } from '../language/audit-words.ts';
import { href } from '../router.ts';
import { auditDetail } from './audit-detail.ts';
import { AuditFilters, thisMachine } from './audit-filters.tsx';

export function AuditPage() {
  const { alarmKinds, audit, problems } = useStrings();
  const { dateTime } = useFormats();
  const { preferences, router } = useApp();
  const query = router.query.value;
  const { from = '', to = '', username, action, success, object } = query;
  // Days in the time zone of this device, both ends included, in either order.
  const [first, last] = from !== '' && to !== '' && from > to ? [to, from] : [from, to];
  const list = useAskedList<AuditEntry>('gateway/audit', {
    startDate: first === '' ? undefined : new Date(`${first}T00:00:00`).getTime(),
    endDate: last === '' ? undefined : new Date(`${last}T23:59:59.999`).getTime(),
    username,
    action,
    success,
    object,
  });
  const isForTimeAlone = Object.keys(query).every((name) => name === 'from' || name === 'to' || name === 'order');
  /** In `card 7 of lock 3` the nouns are translated. */
  const objectText = (object: string) =>
    object.replace(
      /^(data directory|dry run|home-assistant|ttlock-login|[a-z]+)|(?<=^[a-z]+ \d+ )of (?:lock|person)(?= \d+$)/g,
      (word) => audit.nouns[word] ?? word,
    );
  const words = auditWords[preferences.language.value];
  const detailOf = (entry: AuditEntry) =>
    entry.action === 'alarm-end' ? (alarmKinds[entry.detail] ?? entry.detail) : auditDetail(entry, words, dateTime);
  const outcomeOf = ({ outcome }: AuditEntry) => audit.outcomes[outcome] ?? problems[outcome] ?? outcome;

  return (
    <>
      <PageHead title={audit.title} intro={audit.intro} />
      <AuditFilters />
      {object !== undefined && <p class="intro">{audit.about(objectText(object))}</p>}
      <AskedRows
        caption={audit.title}
        list={list}
        noneFound={isForTimeAlone ? audit.none : audit.nothingLikeThat}
        keyOf={({ date, username, action, object }) => `${date} ${username} ${action} ${object}`}
        columns={[
          { title: audit.date, sort: 'date', cell: ({ date }) => dateTime(date) },
          {
            title: audit.who,
            cell: ({ username, address }) => (
              <>
                <strong>{username === thisMachine ? audit.thisMachine : username}</strong>{' '}
                <span class="faint">{audit.origins[address] ?? address}</span>
              </>
            ),
          },
          {
            title: audit.what,
            cell: (entry) => (
              <>
                {audit.actions[entry.action] ?? entry.action}{' '}
                <a
                  class="faint"
                  href={`${href('audit')}?object=${encodeURIComponent(entry.object)}`}
                  aria-label={audit.about(objectText(entry.object))}
                >
                  {objectText(entry.object)}
                </a>
                <span class="faint">{detailOf(entry) && ` · ${detailOf(entry)}`}</span>
              </>
            ),
          },
          {
            title: audit.outcome,
            cell: (entry) => (
              <>
                <span class={entry.outcome === 'ok' ? 'audit-outcome' : 'audit-outcome refused'}>{outcomeOf(entry)}</span>
                {entry.count > 1 && <span class="faint"> {audit.count(entry.count)}</span>}
                {entry.missed > 0 && <span class="faint"> {audit.missed(entry.missed)}</span>}
              </>
            ),
          },
        ]}
      />
    </>
  );
}
