// What a check works with: the lock as it is seen from outside, commands for it, and its connection to cut, hold and freeze.
import { randomUUID } from 'node:crypto';
import type { Attendant } from './attendant.ts';
import { type Hello, hello as helloShape, type Reply, reply as replyShape } from './lock-messages.ts';
import { publishPacket } from './mqtt-packets.ts';
import { type Hold, memberOf, type Observer } from './observer.ts';
import type { Link, Relay } from './relay.ts';
import { eventsIn, reports, type SeenEvent, saidWith } from './seen.ts';
import { type Commanded, type Entry, type Mark, type Said, saidOn, type Trace } from './trace.ts';
import { Broken, LockAway } from './verdict.ts';

/** What a command says beyond its op; what is absent is as a gateway would say it. */
export interface Order {
  readonly args?: object;
  readonly id?: string;
  readonly session?: string;
  /** Until it expires on the lock's own counter; negative: it is late already. */
  readonly expiresInMs?: number;
  /** Further members of the message. */
  readonly more?: object;
}

export interface LockSession {
  readonly deviceId: string;
  readonly hubId: string | undefined;
  readonly topicRoot: string;
  /** Of the lock, as the gateway has it, in milliseconds. */
  readonly timezoneRawOffset: number;
  readonly trace: Trace;
  readonly relay: Relay;
  readonly attendant: Attendant;
  /** The open connection over which the lock has said its last hello. */
  readonly link: Link;
  readonly hello: Hello;
  /** How long nothing must come before we say that nothing comes: longer than the bolt takes. */
  readonly quietMs: number;
  hasFeature(word: string): boolean;
  /** Sends a command of ours, at once. */
  command(op: string, order?: Order): Commanded;
  /** Sends the PUBLISH of a command once more, as QoS 1 may. */
  again(command: Commanded): void;
  /** The reply to a command; undefined when none comes within the time. */
  replyTo(command: Commanded, withinMs?: number, since?: Mark): Promise<Reply | undefined>;
  /** Command and reply. @throws Broken when no reply comes */
  ask(op: string, order?: Order): Promise<Reply>;
  /** The same, which must end in ok. @throws Broken with what the lock said */
  askOk(op: string, order?: Order): Promise<Reply>;
  /** Brings the bolt there by a command, and waits until the lock has said so. @throws Broken */
  moveTo(state: 'locked' | 'unlocked', order?: Order): Promise<Commanded>;
  /** Events that the lock has said since the mark. */
  events(since: Mark): readonly SeenEvent[];
  /** The first event since the mark that fits; undefined when none comes. */
  event(since: Mark, fits: (seen: SeenEvent) => boolean, withinMs?: number): Promise<SeenEvent | undefined>;
  /** Waits as long as the bolt could take. */
  quiet(ms?: number): Promise<void>;
  hold(fits: (entry: Entry) => boolean): Hold;
  /** Does this while the PUBACKs of events messages are held, unless it releases them before its end. */
  withoutEventAcks<T>(action: (hold: Hold) => Promise<T>): Promise<T>;
  /** Cuts the connection and waits until the lock is back. @throws LockAway */
  reconnect(how?: 'reset' | 'end'): Promise<void>;
  /** Waits for a hello since the mark, and until gateway and lock have said what they say after one. @throws LockAway */
  whenBack(since: Mark, withinMs?: number): Promise<void>;
}

export interface SessionOptions
  extends Pick<LockSession, 'deviceId' | 'hubId' | 'topicRoot' | 'timezoneRawOffset' | 'trace' | 'relay' | 'attendant'> {
  readonly observer: Observer;
  readonly ownIds: Set<string>;
  /** Called with every command of ours, before it is sent. */
  readonly note: (op: string, args: object) => void;
}

/** As the gateway: how long a command may take. */
const commandMs = 10_000;
/** A lock waits a few seconds at most before it tries again; what is behind a slow network gets more. */
const returnMs = 60_000;

export function createSession(options: SessionOptions): LockSession {
  const { deviceId, topicRoot, trace, relay, observer, ownIds, note } = options;
  let slowestMoveMs = 400;

  const lastHello = (): Said | undefined => trace.entries.findLast(saidOn('hello'));
  const connected = (): Said => {
    const said = lastHello();
    if (said === undefined || !said.link.isOpen) throw new LockAway('the connection has ended by itself', 'the lock stays connected');
    return said;
  };

  /** The lock's own counter, now. */
  function uptime(): number {
    const said = connected();
    return Number(memberOf(said.json, 'uptime')) + (performance.now() - said.at);
  }

  function publish(command: Commanded, dup: boolean): void {
    const { id, session: name, op, args, expires, ttl } = command;
    const message = { id, session: name, op, args, expires, ttl, ...(command as { readonly more?: object }).more };
    const packetId = observer.nextPacketId();
    trace.add({ ...command, at: performance.now() });
    command.link.toLock(publishPacket(`${topicRoot}/${deviceId}/command`, JSON.stringify(message), packetId, dup));
  }

  function command(op: string, order: Order = {}): Commanded {
    const { args = {}, id = randomUUID(), expiresInMs = commandMs, more } = order;
    const said = connected();
    const sent: Commanded & { more?: object } = {
      ...{ kind: 'commanded', isOurs: true, at: performance.now(), link: said.link, id, op },
      args: args as Commanded['args'],
      session: order.session ?? String(memberOf(said.json, 'session')),
      expires: Math.round(uptime() + expiresInMs),
      ttl: Math.max(0, expiresInMs),
      ...(more !== undefined && { more }),
    };
    ownIds.add(id);
    note(op, args);
    publish(sent, false);
    return sent;
  }

  async function replyTo(sent: Commanded, withinMs = commandMs, since: Mark = 0): Promise<Reply | undefined> {
    const fits = (entry: Entry): entry is Said => saidOn('reply')(entry) && memberOf(entry.json, 'id') === sent.id;
    const said = await trace.find(since, fits, withinMs);
    if (said === undefined) return undefined;
    const checked = replyShape.safeParse(said.json);
    if (!checked.success) throw new Broken(`the reply ${said.text}`, `a reply to ${sent.op} as Protocol 5.2 has it`);
    return checked.data;
  }

  async function ask(op: string, order: Order = {}): Promise<Reply> {
    const sent = command(op, order);
    const answered = await replyTo(sent);
    if (answered === undefined) throw new Broken(`no reply to ${op} within ${commandMs / 1_000} s`, 'a reply before the command expires');
    return answered;
  }

  async function askOk(op: string, order: Order = {}): Promise<Reply> {
    const answered = await ask(op, order);
    if (answered.ok) return answered;
    throw new Broken(`${op} was refused: ${answered.error ?? 'without a word'} (${answered.message ?? ''})`, `ok to ${op}`);
  }

  async function moveTo(state: 'locked' | 'unlocked', order: Order = {}): Promise<Commanded> {
    const mark = trace.mark();
    const startedAt = performance.now();
    const sent = command(state === 'locked' ? 'lock' : 'unlock', order);
    const answered = await replyTo(sent);
    if (answered?.ok !== true)
      throw new Broken(answered === undefined ? `no reply to ${sent.op}` : `${sent.op} was refused: ${answered.error}`, 'ok');
    // Where the bolt was there already, the lock has nothing to report.
    if (answered.state !== state) await trace.find(mark, reports(state), 2_000);
    slowestMoveMs = Math.max(slowestMoveMs, performance.now() - startedAt);
    return sent;
  }

  function events(since: Mark): readonly SeenEvent[] {
    return trace.since(since).flatMap((entry) => (saidOn('events')(entry) ? eventsIn(entry) : []));
  }

  async function event(since: Mark, fits: (seen: SeenEvent) => boolean, withinMs = 5_000): Promise<SeenEvent | undefined> {
    const said = await trace.find(since, (entry): entry is Said => saidOn('events')(entry) && eventsIn(entry).some(fits), withinMs);
    return said === undefined ? undefined : eventsIn(said).find(fits);
  }

  function quiet(ms?: number): Promise<void> {
    return trace.find(trace.mark(), nothing, ms ?? session.quietMs).then(() => undefined);
  }

  /** The gateway has asked what it asks after a hello, and has its answers. */
  async function whenIdle(): Promise<void> {
    const givesUpAt = performance.now() + commandMs;
    for (let quietSince = performance.now(); performance.now() - quietSince < 300 && performance.now() < givesUpAt; ) {
      await quiet(50);
      const { link } = connected();
      const own = trace.entries.filter((entry) => entry.link === link);
      const answered = new Set(own.flatMap((entry) => (saidOn('reply')(entry) ? [memberOf(entry.json, 'id')] : [])));
      const asked = own.filter((entry) => entry.kind === 'commanded' && !entry.isOurs);
      const isOpen = asked.some((entry) => entry.kind === 'commanded' && !answered.has(entry.id));
      if (isOpen || performance.now() - (asked.at(-1)?.at ?? 0) < 60) quietSince = performance.now();
    }
  }

  /** What happened before is acknowledged: a lock may have one events message under way at a time. */
  async function whenAcknowledged(): Promise<void> {
    const givesUpAt = performance.now() + commandMs;
    const isAcknowledged = (said: Said | undefined): boolean =>
      said === undefined || trace.entries.some((entry) => entry.kind === 'acknowledged' && saidWith(trace, entry) === said);
    do await quiet();
    while (!isAcknowledged(trace.entries.findLast(saidOn('events'))) && performance.now() < givesUpAt);
  }

  async function whenBack(since: Mark, withinMs = returnMs): Promise<void> {
    const isBack = (entry: Entry): entry is Said => saidOn('hello')(entry) && entry.link.isOpen;
    const said = await trace.find(since, isBack, withinMs);
    if (said === undefined) throw new LockAway(`no hello within ${withinMs / 1_000} s`, 'the lock connects again and says hello');
    await whenIdle();
  }

  const session: LockSession = {
    ...{
      deviceId,
      hubId: options.hubId,
      topicRoot,
      timezoneRawOffset: options.timezoneRawOffset,
      trace,
      relay,
      attendant: options.attendant,
    },
    get link() {
      return connected().link;
    },
    get hello() {
      const said = lastHello();
      const checked = helloShape.safeParse(said?.json);
      if (checked.success) return checked.data;
      throw new Broken(`the hello ${said?.text ?? 'never came'}`, 'a hello as Protocol 4.1 has it');
    },
    get quietMs() {
      return Math.max(500, 1.5 * slowestMoveMs);
    },
    hasFeature: (word) => session.hello.features?.includes(word) ?? false,
    command,
    again: (sent) => publish(sent, true),
    ...{ replyTo, ask, askOk, moveTo, events, event, quiet, whenBack },
    hold: (fits) => observer.hold(fits),
    async withoutEventAcks(action) {
      await whenAcknowledged();
      const hold = observer.hold((entry) => entry.kind === 'acknowledged' && saidWith(trace, entry)?.channel === 'events');
      try {
        return await action(hold);
      } finally {
        hold.release();
      }
    },
    async reconnect(how = 'reset') {
      const mark = trace.mark();
      session.link.cut(how);
      await whenBack(mark);
    },
  };
  return session;
}

const nothing = (_entry: Entry): _entry is Entry => false;
