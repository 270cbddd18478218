// PUBACKs that had to wait for the disk, on their way out; and the end of a connection whose other side takes nothing (T14).
import type { Clock } from '../domain/ports.ts';
import { pubackPacket } from './packets.ts';

/** Of the connection. */
interface Outlet {
  write(packet: Buffer, whenTaken?: () => void): void;
  /** Written and not yet taken by the other side. */
  unreadBytes(): number;
}

export interface Acknowledgements {
  send(messageId: number): void;
  /** The connection has ended. */
  end(): void;
}

/** More than this unread: PUBACKs would fill the memory. */
const maxUnreadBytes = 65_536;
/** So much may be on its way at any time; beyond that the other side is watched. */
const usualUnreadBytes = 1_024;
const stuckMs = 5_000;

export function createAcknowledgements(
  outlet: Outlet,
  { clock, onStuck }: { readonly clock: Pick<Clock, 'timer'>; onStuck(): void },
): Acknowledgements {
  let cancel: (() => void) | undefined;

  function end(): void {
    cancel?.();
    cancel = undefined;
  }

  return {
    send(messageId) {
      const unread = outlet.unreadBytes();
      const watch = unread > usualUnreadBytes && cancel === undefined;
      if (watch) cancel = clock.timer(stuckMs, onStuck);
      // When this one is taken, all before it are.
      outlet.write(pubackPacket(messageId), watch ? end : undefined);
      if (unread > maxUnreadBytes) onStuck();
    },
    end,
  };
}
