import { describe, expect, it } from '@jest/globals';
import { DomainError } from '../../src/domain/errors.ts';
import { createKeyedQueue, type Turn } from '../../src/domain/keyed-queue.ts';
import { codeOf } from '../support/domain.ts';
import { createSettableClock, settled } from '../support/settable-clock.ts';

function setUp(limit = 16) {
  const clock = createSettableClock();
  const turns = createKeyedQueue<string>({ clock, limit });
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  function run(name: string, turn: Partial<Turn> = {}, key = 'door'): Promise<string> {
    return turns.run(key, { priority: 0, deadline: clock.monotonic() + 10_000, ...turn }, () => {
      begun.push(name);
      return new Promise((resolve) => ends.set(name, () => resolve(name)));
    });
  }
  async function end(name: string): Promise<void> {
    ends.get(name)?.();
    await settled();
  }
  return { clock, turns, begun, run, end };
}

describe('one at a time', () => {
  it('begins the next only when the one before has ended, and other keys at once (Protocol 5.4 rule 1)', async () => {
    const { begun, run, end } = setUp();
    const first = run('first');
    const second = run('second');
    void run('elsewhere', {}, 'other door');
    await settled();
    expect(begun).toEqual(['first', 'elsewhere']);
    await end('first');
    expect(begun).toEqual(['first', 'elsewhere', 'second']);
    await end('second');
    expect(await Promise.all([first, second])).toEqual(['first', 'second']);
  });

  it('takes the most urgent first, then the order of arrival (Protocol 5.4 rule 1)', async () => {
    const { begun, run, end } = setUp();
    for (const [name, priority] of [
      ['now', 2],
      ['own', 2],
      ['card 1', 1],
      ['door 1', 0],
      ['card 2', 1],
      ['door 2', 0],
      ['probe', -1],
    ] as const) {
      void run(name, { priority });
    }
    for (const name of ['now', 'probe', 'door 1', 'door 2', 'card 1', 'card 2', 'own']) await end(name);
    expect(begun).toEqual(['now', 'probe', 'door 1', 'door 2', 'card 1', 'card 2', 'own']);
  });

  it('refuses no unlock because many changes wait (Protocol 5.4 rule 1)', async () => {
    const { begun, run, end } = setUp(2);
    for (const name of ['now', 'change 1', 'change 2']) void run(name, { priority: 1 });
    expect(await codeOf(() => run('change 3', { priority: 1 }))).toBe('lock-busy');
    void run('door 1');
    void run('door 2');
    expect(await codeOf(() => run('door 3'))).toBe('lock-busy');
    for (const name of ['now', 'door 1', 'door 2', 'change 1']) await end(name);
    expect(begun).toEqual(['now', 'door 1', 'door 2', 'change 1', 'change 2']);
  });

  it('lets the next one begin when work fails, even when it throws before its first wait (Protocol 5.4 rule 1)', async () => {
    const { clock, turns, run, begun } = setUp();
    const turn = { priority: 0, deadline: clock.monotonic() + 1_000 };
    const broken = turns.run('door', turn, () => {
      throw new Error('broken');
    });
    const next = run('next');
    await expect(broken).rejects.toThrow('broken');
    await settled();
    expect(begun).toEqual(['next']);
    void next;
  });

  it('rejects the 17th waiting command as lock-busy; one that ends makes room (Protocol 5.4 rule 1)', async () => {
    const { begun, run, end } = setUp();
    void run('under way');
    for (let n = 1; n <= 16; n++) void run(`waiting ${n}`);
    const refused = run('17th');
    await expect(refused).rejects.toMatchObject({ code: 'lock-busy', retryAfterSeconds: 1 });
    await end('under way');
    void run('17th');
    for (let n = 1; n <= 16; n++) await end(`waiting ${n}`);
    expect(begun.at(-1)).toBe('17th');
  });

  it('does not count what has a negative priority against the limit (Protocol 5.4 rule 3)', async () => {
    const { run, end, begun } = setUp(1);
    void run('under way');
    void run('waiting');
    void run('probe', { priority: -1 });
    await end('under way');
    expect(begun).toEqual(['under way', 'probe']);
  });

  it('drops what has not begun by its deadline, at that very moment, and forgets it (Protocol 5.4 rule 1)', async () => {
    const { clock, begun, run, end } = setUp();
    void run('under way');
    const code = codeOf(() => run('late', { deadline: clock.monotonic() + 500 }));
    await clock.advance(499);
    expect(clock.timers()).toBe(1);
    await clock.advance(1);
    expect(await code).toBe('lock-busy');
    await end('under way');
    expect(begun).toEqual(['under way']);
    expect(clock.timers()).toBe(0);
  });

  it('drops what is overdue even when its timer had no chance to fire (Protocol 5.4 rule 1)', async () => {
    const { clock, begun, run, end } = setUp();
    void run('under way');
    const late = codeOf(() => run('late', { deadline: clock.monotonic() + 500 }));
    void run('in time', { deadline: clock.monotonic() + 5_000 });
    clock.block(501);
    await end('under way');
    expect(await late).toBe('lock-busy');
    expect(begun).toEqual(['under way', 'in time']);
  });

  it('drops work for which nobody waits any more, before or while it waits (Protocol 5.4 rule 1)', async () => {
    const { clock, begun, run, end } = setUp();
    const leaving = new AbortController();
    const left = new AbortController();
    left.abort();
    expect(await codeOf(() => run('left before', { gone: left.signal }))).toBe('lock-busy');
    void run('under way');
    const code = codeOf(() => run('leaves', { gone: leaving.signal }));
    leaving.abort();
    expect(await code).toBe('lock-busy');
    await end('under way');
    expect(begun).toEqual(['under way']);
    expect(clock.timers()).toBe(0);
  });

  it('goes on with what has begun when its caller leaves', async () => {
    const { run, end } = setUp();
    const leaving = new AbortController();
    const result = run('begun', { gone: leaving.signal });
    leaving.abort();
    await end('begun');
    expect(await result).toBe('begun');
  });

  it('leaves no listener on a signal that outlives its work', async () => {
    const { run, end } = setUp();
    const controller = new AbortController();
    let listeners = 0;
    const { signal } = controller;
    const gone = {
      aborted: false,
      addEventListener: (...args: Parameters<AbortSignal['addEventListener']>) => {
        listeners += 1;
        signal.addEventListener(...args);
      },
      removeEventListener: (...args: Parameters<AbortSignal['removeEventListener']>) => {
        listeners -= 1;
        signal.removeEventListener(...args);
      },
    } as AbortSignal;
    void run('first', { gone });
    const second = run('second', { gone });
    expect(listeners).toBe(1);
    await end('first');
    await end('second');
    await second;
    expect(listeners).toBe(0);
  });

  it('rejects waiting and later work once it is closed, while work that has begun goes on', async () => {
    const { clock, turns, begun, run, end } = setUp();
    const first = run('first');
    const waiting = ['second', 'third'].map((name) => codeOf(() => run(name)));
    turns.close(() => new DomainError('lock-offline', 'stopping'));
    expect(await Promise.all(waiting)).toEqual(['lock-offline', 'lock-offline']);
    expect(await codeOf(() => run('later'))).toBe('lock-offline');
    expect(clock.timers()).toBe(0);
    await end('first');
    expect(await first).toBe('first');
    expect(begun).toEqual(['first']);
  });
});
