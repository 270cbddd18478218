// What both ends of the control socket agree on: where it is, and what a line may be.
import type { Socket } from 'node:net';

/** A body may have 64 KiB over HTTP; escaped, and with what is around it, it is no longer than this. */
const longestRequest = 256 * 1024;

export function controlSocket(directory: string): string {
  return `${directory}/control.sock`;
}

/** What comes up to the first line feed; from then on the socket is paused. Rejects when it ends before, or when the line gets too long. */
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

/** Lines as they come, as long as they are: for the end that trusts the other. What comes after the last line feed is left out. */
export async function* linesOf(socket: Socket): AsyncGenerator<string> {
  let rest = '';
  socket.setEncoding('utf8');
  for await (const piece of socket as AsyncIterable<string>) {
    const lines = (rest + piece).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}
