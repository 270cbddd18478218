// What both sides of the control socket share: its path and the form of a line.
import type { Socket } from 'node:net';

/** Over HTTP a table of an import may have 4 MiB; escaped and wrapped, it is no longer than this. */
const longestRequest = 9 * 1024 * 1024;

export function controlSocket(directory: string): string {
  return `${directory}/control.sock`;
}

/**
 * Resolves with the bytes before the first line feed; then the socket is paused. Rejects when the socket ends before that or when the line
 * is too long.
 */
export function firstLine(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    const pieces: string[] = [];
    let length = 0;
    socket.setEncoding('utf8');
    const onData = (piece: string) => {
      const end = piece.indexOf('\n');
      pieces.push(end < 0 ? piece : piece.slice(0, end));
      length += piece.length;
      if (end < 0 && length <= longestRequest) return;
      socket.off('data', onData);
      socket.pause();
      if (end < 0) reject(new Error('the line is too long'));
      else resolve(pieces.join(''));
    };
    socket.on('data', onData);
    socket.once('close', () => reject(new Error('the connection ended before the line did')));
  });
}

/** Lines as they arrive, of any length: for the side that trusts the other. Drops an unfinished last line. */
export async function* linesOf(socket: Socket): AsyncGenerator<string> {
  let rest = '';
  socket.setEncoding('utf8');
  for await (const piece of socket as AsyncIterable<string>) {
    const lines = (rest + piece).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}
