// Who is signed in, from the first request to the gateway until the end of the sign-in.
import { type ReadonlySignal, signal } from '@preact/signals';
import type { Client } from './api/client.ts';
import { Problem } from './api/problem.ts';
import { storedValue, storeValue } from './stored-values.ts';

/** Who signed in, as each sign-in answers it (HTTP API 13.1). */
export interface Person {
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
  /** The gateway has signed this person in, and the browser has the cookie. */
  begin(person: Person): void;
  /** Rejects with the `Problem`. */
  signOut(): Promise<void>;
  /** The gateway no longer accepts our cookie. */
  end(): void;
}

export function createSession(client: Client): Session {
  const state = signal<SessionState>('checking');

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
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        state.value = error.code.startsWith('token-') ? 'ended' : 'signed-out';
      }
    },
    begin(person) {
      storeValue('signed-in', 'yes');
      state.value = person;
    },
    async signOut() {
      await client.ask('DELETE', 'session');
      storeValue('signed-in', undefined);
      state.value = 'signed-out';
    },
    end() {
      storeValue('signed-in', undefined);
      if (typeof state.value === 'object') state.value = 'ended';
    },
  };
}
