// The client side of the control socket, for commands of an operator.
import { readFile, stat } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { DomainError, type ErrorCode, type ParameterProblem } from '../../domain/errors.ts';
import type { ControlRequest } from './control.ts';
import { controlSocket, linesOf } from './control-line.ts';

type Answer = Readonly<Record<string, unknown>>;

/** No daemon answers for this data directory: the socket is missing, or a killed daemon left it behind. */
export class NobodyThere extends Error {}

interface Listening {
  /** Called with a number that grows. */
  readonly onProgress?: (done: number) => void;
  /** Called with each line of a result that comes bit by bit. */
  readonly onLine?: (line: object) => void;
  readonly signal?: AbortSignal;
}

/**
 * Sends a request to the running daemon; rejects with NobodyThere when no daemon runs on that data directory, and with a DomainError when
 * the daemon refuses. It waits as long as the daemon takes, or until `signal` aborts.
 */
export async function askControl(directory: string, request: ControlRequest, listening: Listening = {}): Promise<Answer> {
  const { onProgress, onLine, signal } = listening;
  const socket = await connectTo(directory, signal);
  socket.on('error', () => socket.destroy());
  socket.write(`${JSON.stringify(request)}\n`);
  try {
    for await (const line of linesOf(socket)) {
      const said = JSON.parse(line) as Answer;
      if (typeof said['progress'] === 'number') onProgress?.(said['progress']);
      else if (typeof said['line'] === 'object' && said['line'] !== null) onLine?.(said['line']);
      else return readAnswer(said);
    }
  } finally {
    socket.destroy();
  }
  throw new Error(`latchd on ${directory} ended the connection without an answer: its log says why`);
}

function readAnswer({ ok, error, code, parameters, ...answer }: Answer): Answer {
  if (ok === true) return answer;
  if (typeof code !== 'string') throw new Error(String(error));
  throw new DomainError(code as ErrorCode, String(error), { parameters: parameters as readonly ParameterProblem[] });
}

async function connectTo(directory: string, signal: AbortSignal | undefined): Promise<Socket> {
  const path = controlSocket(directory);
  const socket = connect({ path, ...(signal && { signal }) });
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve);
      socket.once('error', reject);
    });
    return socket;
  } catch (error) {
    socket.destroy();
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ECONNREFUSED' || code === 'ENOTDIR') {
      throw new NobodyThere(`no latchd is running on ${directory}, and this needs it: start it first (sudo systemctl start latchd)`);
    }
    if (code === 'EACCES' || code === 'EPERM') throw await notOurs(directory, error);
    throw new Error(`the daemon on ${directory} cannot be reached through ${path} (${code})`, { cause: error });
  }
}

/** The error for a user who is neither root nor the owner of the data directory. */
export async function notOurs(directory: string, cause?: unknown): Promise<Error> {
  const owner = await stat(directory).then(
    ({ uid }) => userName(uid),
    () => undefined,
  );
  const whose = owner === undefined ? 'is not for you to read' : `belongs to the user ${owner}`;
  return new Error(`${directory} ${whose}: say it as that user (sudo -u ${owner ?? 'latchd'} latchd …) or as root (sudo latchd …)`, {
    cause,
  });
}

/** The name from /etc/passwd; the number when it has none. */
export async function userName(uid: number): Promise<string> {
  const users = await readFile('/etc/passwd', 'utf8').catch(() => '');
  const line = users.split('\n').find((user) => user.split(':')[2] === String(uid));
  return line?.split(':')[0] ?? String(uid);
}
