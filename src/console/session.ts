// Who is signed in, from the first question to the gateway until the end of the session.
import { type ReadonlySignal, signal } from '@preact/signals';
import type { Client } from './api/client.ts';
import { Problem } from './api/problem.ts';
import { keep, kept } from './kept.ts';

interface Person {
  readonly username: string;
  readonly gatewayAdministrator: boolean;
}

/** `checking`: we do not know yet whether there is a cookie. `ended`: the gateway has forgotten who we were. */
export type SessionState = 'checking' | 'signed-out' | 'ended' | Person;

export interface Session {
  readonly state: ReadonlySignal<SessionState>;
  /** Looks whether a cookie from an earlier visit still holds. */
  resume(): Promise<void>;
  /** Rejects with the `Problem`. The token stays in memory, or with `remember` in a cookie that no script can read. */
  signIn(token: string, remember: boolean): Promise<void>;
  signOut(): Promise<void>;
  /** The gateway no longer knows us. */
  end(): void;
}

export function createSession(client: Client): Session {
  const state = signal<SessionState>('checking');
  let inCookie = false;

  return {
    state,
    async resume() {
      // To ask without one would be a failed sign-in, which the gateway counts.
      if (kept('signed-in') === undefined) {
        state.value = 'signed-out';
        return;
      }
      try {
        state.value = await client.get<Person>('session');
        inCookie = true;
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        state.value = error.code.startsWith('token-') ? 'ended' : 'signed-out';
      }
    },
    async signIn(token, remember) {
      try {
        if (remember) {
          client.useToken(null);
          await client.ask('POST', 'session', { body: { token } });
        } else {
          client.useToken(token);
        }
        const person = await client.get<Person>('session');
        inCookie = remember;
        keep('signed-in', remember ? 'yes' : undefined);
        state.value = person;
      } catch (error) {
        client.useToken(null);
        throw error;
      }
    },
    async signOut() {
      if (inCookie) await client.ask('DELETE', 'session');
      client.useToken(null);
      inCookie = false;
      keep('signed-in', undefined);
      state.value = 'signed-out';
    },
    end() {
      client.useToken(null);
      keep('signed-in', undefined);
      if (typeof state.value === 'object') state.value = 'ended';
    },
  };
}
