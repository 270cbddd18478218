// What the reports of the run show, and costs no time of its own (Protocol 4, 5.2).
import type { z } from 'zod';
import type { Check } from '../check.ts';
import { batteryReport, emptyDigest, events, hello, reply, stateReport } from '../lock-messages.ts';
import { memberOf } from '../observer.ts';
import { eventsIn } from '../seen.ts';
import type { LockSession } from '../session.ts';
import type { Said } from '../trace.ts';
import { heldUnless, notTried, type Verdict } from '../verdict.ts';
import { allSaid, each, endOf } from './observed.ts';

function wellFormed(session: LockSession, channel: string, shape: z.ZodType): Verdict {
  const all = allSaid(session).filter((said) => said.channel === channel);
  if (all.length === 0) return notTried(`no ${channel} in this run`);
  const problemOf = ({ json, text }: Said): string | undefined => {
    if (json === undefined) return `no JSON: ${text.slice(0, 100)}`;
    const checked = shape.safeParse(json);
    const [issue] = checked.error?.issues ?? [];
    return issue && `${issue.path.join('.')}: ${issue.message}, in ${text.slice(0, 300)}`;
  };
  return each(
    all,
    problemOf,
    `members as Protocol ${{ hello: '4.1', state: '4.2', battery: '4.3', events: '4.4' }[channel] ?? '5.2'} has them`,
  );
}

/** After each hello with time behind it, this must have come on the same connection. */
function afterEachHello(session: LockSession, what: string, fits: (said: Said) => boolean, due: string): Verdict {
  const lasted = allSaid(session).filter((said) => said.channel === 'hello' && endOf(session, said) - said.at > 3_000);
  const problemOf = (said: Said): string | undefined =>
    allSaid(session).some((other) => other.link === said.link && fits(other)) ? undefined : `no ${what} on connection ${said.link.number}`;
  return lasted.length === 0 ? notTried('no connection lasted 3 s') : each(lasted, problemOf, due);
}

export const observedReportChecks: readonly Check[] = [
  {
    name: 'hello-members',
    rule: 'Protocol 4.1',
    title: 'the hello is as the page has it',
    run: (session) => wellFormed(session, 'hello', hello),
  },
  {
    name: 'state-members',
    rule: 'Protocol 4.2',
    title: 'each state is as the page has it',
    run: (session) => wellFormed(session, 'state', stateReport),
  },
  {
    name: 'battery-members',
    rule: 'Protocol 4.3',
    title: 'each battery is as the page has it',
    run: (session) => wellFormed(session, 'battery', batteryReport),
  },
  {
    name: 'event-members',
    rule: 'Protocol 4.4',
    title: 'each events message is as the page has it',
    run: (session) => wellFormed(session, 'events', events),
  },
  {
    name: 'reply-members',
    rule: 'Protocol 5.2',
    title: 'each reply is as the page has it',
    run: (session) => wellFormed(session, 'reply', reply),
  },
  {
    name: 'status-text',
    rule: 'Protocol 3',
    title: 'status is online or offline, as text',
    run: (session) =>
      each(
        allSaid(session).filter(({ channel }) => channel === 'status'),
        ({ text }) => (text === 'online' || text === 'offline' ? undefined : text.slice(0, 100)),
        'online or offline',
      ),
  },
  {
    name: 'one-hello',
    rule: 'Protocol 4.1',
    title: 'one hello after each connect',
    needs: ['own-login'],
    run(session) {
      const hellos = allSaid(session).filter(({ channel }) => channel === 'hello');
      return each(
        hellos,
        ({ link }) => {
          const count = hellos.filter((other) => other.link === link).length;
          return count === 1 ? undefined : `${count} hellos on connection ${link.number}`;
        },
        'one',
      );
    },
  },
  {
    name: 'new-session',
    rule: 'Protocol 4.1',
    title: 'the session is new and random at every connect',
    run(session) {
      const names = allSaid(session).flatMap((said) => (said.channel === 'hello' ? [String(memberOf(said.json, 'session'))] : []));
      if (names.length < 2) return notTried('only one connection in this run');
      const pairs = names.flatMap((name, index) => names.slice(index + 1).map((other) => [name, other] as const));
      const isLike = ([one, other]: readonly [string, string]): boolean => {
        const differing = [...one].filter((sign, at) => sign !== other[at]).length;
        return one.length === other.length && differing <= 2;
      };
      return each(pairs, (pair) => (isLike(pair) ? `${pair[0]}, then ${pair[1]}` : undefined), 'another one each time, and no counter');
    },
  },
  {
    name: 'features',
    rule: 'Protocol 4.1',
    title: 'what the hello says of its features fits together',
    run: (session) =>
      each(
        allSaid(session).filter(({ channel }) => channel === 'hello'),
        ({ json }) => {
          const { success, data } = hello.safeParse(json);
          if (!success) return undefined;
          const has = (word: string): boolean => data.features?.includes(word) ?? false;
          if ((has('hours') || has('once')) && !has('credentials')) return 'hours or once without credentials';
          if (has('credentials') !== (data.credentials !== undefined)) return 'the feature credentials and the member do not go together';
          if (has('credentials') && data.cards === undefined) return 'credentials without cards, which an older gateway needs';
          if (data.cards?.count === 0 && data.cards.digest !== emptyDigest) return `no cards, and the digest ${data.cards.digest}`;
          return undefined;
        },
        'hours and once only with credentials; credentials and cards said as well',
      ),
  },
  {
    name: 'last-seq',
    rule: 'Protocol 4.1',
    title: 'lastSeq of the hello is that of the newest event',
    run: lastSeq,
  },
  {
    name: 'state-session',
    rule: 'Protocol 4.2',
    title: 'each state and battery has the session of its connection',
    run(session) {
      const reports = allSaid(session).filter(({ channel }) => channel === 'state' || channel === 'battery');
      const sessionOf = ({ link, at }: Said): unknown =>
        memberOf(allSaid(session).findLast((said) => said.channel === 'hello' && said.link === link && said.at <= at)?.json, 'session');
      const problemOf = (said: Said): string | undefined =>
        memberOf(said.json, 'session') === sessionOf(said) ? undefined : `${said.text}, while the session is ${sessionOf(said)}`;
      return each(reports, problemOf, 'the session of the hello before it');
    },
  },
  {
    name: 'state-after-connect',
    rule: 'Protocol 4.2',
    title: 'state is said after each connect',
    run: (session) => afterEachHello(session, 'state', ({ channel }) => channel === 'state', 'state once after each connect'),
  },
  {
    name: 'battery-after-connect',
    rule: 'Protocol 4.3',
    title: 'battery is said after each connect',
    run: (session) => afterEachHello(session, 'battery', ({ channel }) => channel === 'battery', 'battery once after each connect'),
  },
  {
    name: 'online-after-connect',
    rule: 'Protocol 9 rule 4',
    title: 'status online is said after each connect',
    needs: ['own-login'],
    run: (session) =>
      afterEachHello(
        session,
        'status',
        ({ channel, text }) => channel === 'status' && text === 'online',
        'online, retained, after each connect',
      ),
  },
];

function lastSeq(session: LockSession): Verdict {
  const newest = new Map<string, number>();
  for (const entry of session.trace.entries) {
    if (entry.kind !== 'said') continue;
    for (const { epoch, event } of entry.channel === 'events' ? eventsIn(entry) : [])
      newest.set(epoch, Math.max(newest.get(epoch) ?? 0, event.seq));
    if (entry.channel !== 'hello') continue;
    const [epoch, said] = [memberOf(entry.json, 'epoch'), memberOf(entry.json, 'lastSeq')];
    const least = typeof epoch === 'string' ? newest.get(epoch) : undefined;
    if (least !== undefined && typeof said === 'number' && said < least)
      return heldUnless(`lastSeq ${said}, after event ${least} was sent`, `${least} or more`);
  }
  return heldUnless(undefined, '');
}
