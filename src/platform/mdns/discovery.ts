// Lets clients and locks on the local network find the gateway: multicast DNS (RFC 6762) in a thread of its own. It is optional: its
// failure neither stops a start nor ends the daemon.
import { Worker } from 'node:worker_threads';
import type { Clock } from '../../domain/clock.ts';
import type { Log, Part } from '../../domain/part.ts';
import type { Announcement } from './announcement.ts';

const retryMs = 60_000;
/** Time for the goodbye; a machine that misses it forgets the gateway after two minutes. */
const goodbyeMs = 1_000;
/** Far above normal use; a thread that needs more is under attack. */
const heapMegabytes = 32;

interface Responder {
  /** Says goodbye and ends, within a time limit. */
  stop(): Promise<void>;
}

interface ResponderEvents {
  /** Called with the names under which the services are announced now. */
  announced(names: readonly string[]): void;
  /** Called when another machine on the network already has the name. */
  renamed(hostname: string): void;
  /** Called when the responder ends by itself, not by `stop`. */
  ended(reason: string): void;
  /** Called with a line that the library logs. */
  said(line: string): void;
}

export type StartResponder = (announcements: readonly Announcement[], events: ResponderEvents) => Responder;

export interface DiscoveryOptions {
  /** Called at the start; when it returns none, nothing is started. */
  readonly announcements: () => readonly Announcement[];
  readonly clock: Pick<Clock, 'timer'>;
  readonly log: Log;
  /** `respondInThread` outside tests. */
  readonly respond: StartResponder;
}

export interface Discovery extends Part {
  /**
   * The names under which services are announced now, the host name that replaced our own because of a conflict, and the reason why nothing
   * is announced.
   */
  state(): { readonly names: readonly string[]; readonly renamed: string | null; readonly failed: string | null };
}

/** Start it when the listeners serve, stop it before they do. When a responder ends by itself, it is started again after a minute. */
export function createDiscovery({ announcements, clock, log, respond }: DiscoveryOptions): Discovery {
  let responder: Responder | undefined;
  let cancelRetry: (() => void) | undefined;
  let state: ReturnType<Discovery['state']> = { names: [], renamed: null, failed: null };

  function begin(what: readonly Announcement[]): void {
    responder = respond(what, {
      announced(names) {
        state = { ...state, names, failed: null };
        log.info({ code: 'discovery', names }, 'announced on the local network (mDNS)');
      },
      renamed(hostname) {
        state = { ...state, renamed: hostname };
        log.warn({ code: 'discovery-renamed', hostname }, 'another machine has our name in .local: certificates do not fit the new one');
      },
      ended(reason) {
        responder = undefined;
        const isNew = state.failed === null;
        if (isNew) log.warn({ code: 'discovery-failed', reason }, 'not announced on the local network now; tried again every minute');
        state = { names: [], renamed: null, failed: reason };
        cancelRetry = clock.timer(retryMs, () => begin(what));
      },
      said: (line) => log.debug({ code: 'discovery-said', line }, 'the mDNS responder says'),
    });
  }

  return {
    name: 'discovery',
    state: () => state,
    async start() {
      const what = announcements();
      if (what.length > 0) begin(what);
    },
    async stop() {
      cancelRetry?.();
      await responder?.stop();
      responder = undefined;
    },
  };
}

/** `program`: where discovery-thread.ts was built to. */
export const respondInThread =
  (program: URL): StartResponder =>
  (announcements, events) => {
    const worker = new Worker(program, {
      workerData: announcements,
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: heapMegabytes },
    });
    let isStopping = false;
    let reason = 'its thread ended';
    for (const output of [worker.stdout, worker.stderr]) output.setEncoding('utf8').on('data', (text: string) => events.said(text.trim()));
    worker.on('message', (message: { readonly names?: readonly string[]; readonly renamed?: string }) => {
      if (message.names !== undefined) events.announced(message.names);
      if (message.renamed !== undefined) events.renamed(message.renamed);
    });
    worker.on('error', (error: unknown) => {
      reason = error instanceof Error ? error.message : String(error);
    });
    const ended = new Promise<void>((resolve) => {
      worker.once('exit', () => {
        if (!isStopping) events.ended(reason);
        resolve();
      });
    });
    return {
      async stop() {
        isStopping = true;
        worker.postMessage('stop');
        const tooLate = setTimeout(() => void worker.terminate(), goodbyeMs);
        await ended;
        clearTimeout(tooLate);
      },
    };
  };
