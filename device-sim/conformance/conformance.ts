// Takes a real lock through the rules of its protocol: the run as a whole, from the question whether it may to the report.
import { readFile, writeFile } from 'node:fs/promises';
import { chosenChecks } from './all-checks.ts';
import { createAttendant } from './attendant.ts';
import { createFootprint } from './footprint.ts';
import { findLock, type KnownLock, Refusal } from './gateway.ts';
import { hello } from './lock-messages.ts';
import { createObserver, memberOf } from './observer.ts';
import { openRelay } from './relay.ts';
import { isClean, jsonReport, junitReport, type Report, resultText, summaryText } from './report.ts';
import { type Result, runChecks } from './run-checks.ts';
import { createSession, type LockSession } from './session.ts';
import { createTrace, Interrupted, type Said, saidOn } from './trace.ts';
import { Broken, NotTried } from './verdict.ts';

export interface ConformanceOptions {
  /** The HTTP API, without a slash at the end. */
  readonly gatewayUrl: string;
  readonly token: string;
  /** Where the gateway takes its locks: `mqtt://host:port` or `mqtts://host:port`. */
  readonly mqttUrl: URL;
  /** File with the authority of the gateway, for `mqtts:`. */
  readonly caFile?: string;
  /** Where the lock connects in place of the gateway. */
  readonly listen: { readonly host: string; readonly port: number };
  /** Files with certificate chain and key, when the lock speaks TLS. */
  readonly tlsCertFile?: string;
  readonly tlsKeyFile?: string;
  readonly deviceId: string;
  readonly topicRoot: string;
  /** Names of checks and numbers of rules; none: all. */
  readonly only: readonly string[];
  /** What a person would type. */
  readonly yesName?: string;
  readonly reportFile?: string;
  readonly junitFile?: string;
  readonly json: boolean;
  readonly powerCommand?: string;
  readonly swipeCommand?: string;
  /** How long to wait for the lock to connect to us. */
  readonly waitSeconds: number;
}

/** Who runs it. */
export interface Terminal {
  /** The result, for programs. */
  print(line: string): void;
  /** Sentences for people. */
  say(sentence: string): void;
  /** Asks for a line; rejects when there is none to be had. */
  ask(question: string): Promise<string>;
  /** Whether a person is there who can walk to the lock. */
  readonly hasPerson: boolean;
  readonly signal: AbortSignal;
}

/** Resolves with the exit code: 0 no rule is broken, 1 one is, 2 nothing could be tried. Rejects with a Refusal that says why not. */
export async function checkConformance(options: ConformanceOptions, terminal: Terminal): Promise<number> {
  const checks = chosenChecks(options.only);
  const lock = await findLock({ url: options.gatewayUrl, token: options.token, deviceId: options.deviceId });
  await confirmName(lock, options.yesName, terminal);
  const bench = await openBench(lock, options, terminal);
  const { session, trace, relay } = bench;
  const interrupt = (): void => trace.interrupt(true);
  terminal.signal.addEventListener('abort', interrupt);
  if (terminal.signal.aborted) interrupt();
  try {
    terminal.say(
      `Let ${lock.hubId === null ? 'the lock' : `its hub ${lock.hubId}`} connect to ${options.listen.host}, port ${relay.port}.`,
    );
    const before = await firstHello(session, options.waitSeconds);
    const results: Result[] = [];
    const onResult = (result: Result): void => {
      results.push(result);
      if (!options.json) terminal.print(resultText(result));
    };
    try {
      await warmUp(session);
      await runChecks({ session, footprint: bench.footprint, checks, onResult });
    } catch (error) {
      if (!(error instanceof Interrupted)) throw error;
      terminal.say('Ended before its time; putting everything back.');
    }
    terminal.signal.removeEventListener('abort', interrupt);
    const left = await putBack(bench, before);
    const { lockName, deviceId } = lock;
    const report = { lockName, deviceId, model: modelOf(before), date: new Date().toISOString(), results, left };
    await publish(report, options, terminal);
    if (results.length < checks.length) return 2;
    return isClean(report) ? 0 : 1;
  } finally {
    terminal.signal.removeEventListener('abort', interrupt);
    await relay.close();
  }
}

/** What stands between the lock and its gateway, and what a check works with. Rejects when the port is taken or a file cannot be read. */
async function openBench(lock: KnownLock, options: ConformanceOptions, terminal: Terminal) {
  const { deviceId, topicRoot } = options;
  const trace = createTrace();
  const ownIds = new Set<string>();
  const footprint = createFootprint();
  const hubId = lock.hubId ?? undefined;
  const observer = createObserver({ trace, deviceId, hubId, topicRoot, isOurs: (id) => ownIds.has(id) });
  const relay = await openRelay({ ...(await relayOptions(options)), watcher: observer, onTrouble: saidOnce(terminal) });
  const attendant = createAttendant({
    ...(options.powerCommand !== undefined && { powerCommand: options.powerCommand }),
    ...(options.swipeCommand !== undefined && { swipeCommand: options.swipeCommand }),
    ...(terminal.hasPerson && { ask: (question) => askAtLock(question, terminal) }),
  });
  const { timezoneRawOffset } = lock;
  const parts = { deviceId, hubId, topicRoot, timezoneRawOffset, trace, relay, attendant, observer, ownIds, note: footprint.note };
  return { session: createSession(parts), trace, relay, observer, footprint };
}

/** Takes off and puts back what the run has changed, whatever it ended with. Resolves with a sentence for each thing that stayed. */
async function putBack(bench: Awaited<ReturnType<typeof openBench>>, before: unknown): Promise<readonly string[]> {
  const { session, trace, relay, observer, footprint } = bench;
  trace.interrupt(false);
  observer.dropAll();
  relay.refuseWith = undefined;
  const lastHello = (): Said | undefined => trace.entries.findLast(saidOn('hello'));
  try {
    if (!lastHello()?.link.isOpen) await session.whenBack(trace.mark(), 30_000);
    const failures = await footprint.restore(session, hello.safeParse(before).data ?? {});
    // So that the gateway learns that nothing of this run is left.
    await session.reconnect('end');
    const held = heldIn(lastHello()?.json);
    return held.length === 0 ? failures : [...failures, `the lock says that it still holds ${held.join(' and ')}`];
  } catch (error) {
    return [`what this run has put on the lock may still be there: ${error instanceof Broken ? error.came : (error as Error).message}`];
  }
}

async function confirmName({ lockName }: KnownLock, yesName: string | undefined, terminal: Terminal): Promise<void> {
  terminal.say(`This moves the bolt of "${lockName}" many times, and puts cards and passcodes on it and takes them off again.`);
  const typed = yesName ?? (await terminal.ask('Type the name of the lock to begin: '));
  if (typed.trim() !== lockName) throw new Refusal(`that is not its name, so nothing is tried`);
}

/** @throws Interrupted when the run is ended meanwhile, and NotTried when nobody answers any more */
async function askAtLock(question: string, { ask, signal }: Terminal): Promise<string> {
  try {
    return await ask(question);
  } catch (error) {
    if (signal.aborted) throw new Interrupted('the run was ended');
    throw new NotTried((error as Error).message);
  }
}

/** Says each sentence to people once: a lock that cannot connect tries again and again. */
function saidOnce({ say }: Terminal): (sentence: string) => void {
  const said = new Set<string>();
  return (sentence) => {
    if (!said.has(sentence)) say(sentence);
    said.add(sentence);
  };
}

async function relayOptions({ listen, mqttUrl, caFile, tlsCertFile, tlsKeyFile }: ConformanceOptions) {
  const ca = caFile === undefined ? {} : { ca: await readFile(caFile, 'utf8') };
  if ((tlsCertFile === undefined) !== (tlsKeyFile === undefined)) throw new Refusal('--tls-cert and --tls-key go together');
  const isTls = tlsCertFile !== undefined && tlsKeyFile !== undefined;
  const tls = isTls ? { tls: { cert: await readFile(tlsCertFile, 'utf8'), key: await readFile(tlsKeyFile, 'utf8') } } : {};
  return { listen, gateway: { url: mqttUrl, ...ca }, ...tls };
}

/** What the lock says first. Rejects with a Refusal when none comes, or when it says that it holds something. */
async function firstHello(session: LockSession, waitSeconds: number): Promise<unknown> {
  const isHello = (entry: Parameters<ReturnType<typeof saidOn>>[0]): entry is Said => saidOn('hello')(entry);
  const said = await session.trace.find(0, isHello, waitSeconds * 1_000);
  if (said === undefined) throw new Refusal(`no hello of the lock came within ${waitSeconds} s: does it connect to this port?`);
  const [held] = heldIn(said.json);
  if (held !== undefined) throw new Refusal(`the lock says that it holds ${held}: take a lock that nobody needs, or clear it first`);
  await session.whenBack(0);
  return said.json;
}

/** What a hello says that the lock holds: `3 cards`, `3 credentials`; nothing when it is empty. */
function heldIn(hello: unknown): readonly string[] {
  return ['cards', 'credentials']
    .map((member) => [Number(memberOf(memberOf(hello, member), 'count') ?? 0), member] as const)
    .filter(([count]) => count > 0)
    .map(([count, member]) => `${count} ${member}`);
}

/** A little of everything, so that what is looked at in the whole run has something to look at. What fails here, fails later by name. */
async function warmUp(session: LockSession): Promise<void> {
  try {
    // Not when nobody knows what it was.
    if (session.hello.autoLockTime !== undefined) await session.ask('set-auto-lock', { args: { seconds: 0 } });
    await session.moveTo('unlocked');
    await session.moveTo('locked');
    await session.reconnect();
  } catch (error) {
    if (!(error instanceof Broken)) throw error;
  }
}

function modelOf(before: unknown): string {
  const parts = ['modelNum', 'hardwareRevision', 'firmwareRevision'].map((name) => memberOf(before, name));
  return parts.filter((part) => typeof part === 'string').join(' ') || 'no model in its hello';
}

async function publish(report: Report, { reportFile, junitFile, json }: ConformanceOptions, terminal: Terminal): Promise<void> {
  if (reportFile !== undefined) await writeFile(reportFile, jsonReport(report));
  if (junitFile !== undefined) await writeFile(junitFile, junitReport(report));
  terminal.print(json ? jsonReport(report).trimEnd() : summaryText(report));
}
