// What the connections of the run show, and costs no time of its own (Protocol 1, 2, 3).
import type { Check } from '../check.ts';
import { types } from '../mqtt-packets.ts';
import type { LockSession } from '../session.ts';
import type { Entry } from '../trace.ts';
import { heldUnless, notTried } from '../verdict.ts';
import { allSaid, each } from './observed.ts';

const channels = ['status', 'hello', 'state', 'battery', 'events', 'reply'];

function connects(session: LockSession): readonly Extract<Entry, { kind: 'connect' }>[] {
  return session.trace.entries.filter((entry) => entry.kind === 'connect');
}

export const observedConnectionChecks: readonly Check[] = [
  {
    name: 'mqtt-level',
    rule: 'Protocol 2',
    title: 'CONNECT is MQTT 3.1.1',
    run: (session) =>
      each(
        connects(session),
        ({ connect }) => (connect.protocol === 'MQTT' && connect.level === 4 ? undefined : `${connect.protocol} ${connect.level}`),
        'MQTT level 4',
      ),
  },
  {
    name: 'client-id',
    rule: 'Protocol 2',
    title: 'user name and client id are the deviceId',
    run: (session) =>
      each(
        connects(session),
        ({ connect }) =>
          connect.username === connect.clientId ? undefined : `client id ${connect.clientId}, user name ${connect.username}`,
        `both ${session.hubId ?? session.deviceId}`,
      ),
  },
  {
    name: 'clean-session',
    rule: 'Protocol 2',
    title: 'clean session is 1',
    run: (session) => each(connects(session), ({ connect }) => (connect.clean ? undefined : 'clean session 0'), 'clean session 1'),
  },
  {
    name: 'keep-alive',
    rule: 'Protocol 2',
    title: 'the keep alive is 1 to 120 s',
    run: (session) =>
      each(
        connects(session),
        ({ connect: { keepAliveSeconds: seconds } }) => (seconds >= 1 && seconds <= 120 ? undefined : `keep alive ${seconds}`),
        '1 to 120 s',
      ),
  },
  {
    name: 'will',
    rule: 'Protocol 2',
    title: 'a will is offline on its own status, with QoS 1 and retain',
    run(session) {
      const topic = `${session.topicRoot}/${session.hubId ?? session.deviceId}/status`;
      const due = `offline on ${topic}, QoS 1, retain`;
      const all = connects(session).flatMap(({ connect }) => connect.will ?? []);
      if (all.length === 0) return notTried('the lock has no will, which it need not have');
      const came = (will: (typeof all)[number]): string =>
        `${will.payload} on ${will.topic}, QoS ${will.qos}${will.retain ? ', retain' : ''}`;
      return each(all, (will) => (came(will) === due ? undefined : came(will)), due);
    },
  },
  {
    name: 'packet-size',
    rule: 'Protocol 1',
    title: 'a packet is at most 64 KiB, the CONNECT 4 KiB',
    run: (session) =>
      each(
        session.trace.entries,
        (entry) =>
          entry.kind === 'packet' && entry.bytes > (entry.type === types.connect ? 4_096 : 65_536)
            ? `a packet of ${entry.bytes} bytes`
            : undefined,
        'at most 64 KiB, the CONNECT 4 KiB',
      ),
  },
  {
    name: 'qos',
    rule: 'Protocol 3',
    title: 'all is published and subscribed with QoS 1',
    run(session) {
      const published = each(allSaid(session), ({ qos, topic }) => (qos === 1 ? undefined : `QoS ${qos} on ${topic}`), 'QoS 1');
      if (published.verdict !== 'held') return published;
      const filters = session.trace.entries.flatMap((entry) => (entry.kind === 'subscribe' ? entry.filters : []));
      return each(filters, ({ qos, filter }) => (qos === 1 ? undefined : `a subscription with QoS ${qos} to ${filter}`), 'QoS 1');
    },
  },
  {
    name: 'topics',
    rule: 'Protocol 3',
    title: 'the lock publishes to its own six topics, and subscribes to its own command by its full name',
    run(session) {
      const strange = allSaid(session).find(({ channel }) => !channels.includes(channel));
      const command = `${session.topicRoot}/${session.deviceId}/command`;
      const filters = session.trace.entries.flatMap((entry) =>
        entry.kind === 'subscribe' ? entry.filters.map(({ filter }) => filter) : [],
      );
      // A hub subscribes to the commands of other locks, too.
      const other =
        session.hubId === undefined ? filters.find((filter) => filter !== command) : filters.find((filter) => /[+#]/.test(filter));
      const due = `its own ${channels.join(', ')}, and ${command}`;
      return heldUnless(strange ? `a publish to ${strange.topic}` : other && `a subscription to ${other}`, due);
    },
  },
  {
    name: 'retain',
    rule: 'Protocol 3',
    title: 'status is retained, and nothing else',
    run: (session) =>
      each(
        allSaid(session),
        ({ retain, channel }) => (retain === (channel === 'status') ? undefined : `${channel} ${retain ? 'retained' : 'without retain'}`),
        'retain on status alone',
      ),
  },
];
