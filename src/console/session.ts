// Who is signed in, from the first request to the gateway until the end of the sign-in.
import { type ReadonlySignal, signal } from '@preact/signals';
import type { Client } from './api/client.ts';
import { Problem } from './api/problem.ts';
import { storedValue, storeValue } from './stored-values.ts';

interface Person {
  readonly username: string;
  readonly gatewayAdministrator: boolean;
  readonly accessManager: boolean;
}

/** `checking`: it is not known yet whether there is a cookie. `ended`: the gateway no longer accepts the sign-in. */
export type SessionState = 'checking' | 'signed-out' | 'ended' | Person;

export interface Session {
  readonly state: ReadonlySignal<SessionState>;
  /** Checks whether a cookie from an earlier visit is still valid. */
  resume(): Promise<void>;
  /** Rejects with the `Problem`. The token stays in memory, or with `remember` in a cookie that no script can read. */
  signIn(token: string, remember: boolean): Promise<void>;
  signOut(): Promise<void>;
  /** The gateway no longer accepts our token or cookie. */
  end(): void;
}

export function createSession(client: Client): Session {
  const state = signal<SessionState>('checking');
  let inCookie = false;

  return {
    state,
    async resume() {
      // A request without a cookie would be a failed sign-in, which the gateway counts.
      if (storedValue('signed-in') === undefined) {
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
        storeValue('signed-in', remember ? 'yes' : undefined);
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
      storeValue('signed-in', undefined);
      state.value = 'signed-out';
    },
    end() {
      client.useToken(null);
      storeValue('signed-in', undefined);
      if (typeof state.value === 'object') state.value = 'ended';
    },
  };
}
