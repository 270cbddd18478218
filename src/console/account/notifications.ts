// The gateway's answers about what an account is told (HTTP API 13.4).

export const notificationsPath = 'account/notifications';

export const notifiedEvents = ['unlock', 'lock', 'refused', 'door'] as const;

export type Channel = 'email' | 'ntfy';

/** What is chosen for a channel. */
export interface Chosen {
  readonly address?: string;
  readonly topic?: string;
  /** Of e-mail. */
  readonly confirmed?: boolean;
  readonly alarms: boolean;
  readonly events: readonly string[];
  readonly lockIds: readonly number[];
  readonly groupIds: readonly number[];
  /** Why the last message did not get through; '': it did. */
  readonly failure: string;
}

export interface Notifications {
  /** Those that are configured. */
  readonly available: readonly Channel[];
  readonly language: 'en' | 'de';
  readonly email: Chosen | null;
  readonly ntfy: Chosen | null;
}
