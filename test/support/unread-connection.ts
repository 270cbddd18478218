// A client whose TCP connection is full: it sends and reads nothing, and neither Node nor the loopback would take it for stuck.
import { spawn } from 'node:child_process';
import { join } from 'node:path';

export interface UnreadConnection {
  /** Ends its process. */
  close(): Promise<void>;
}

/** Sends `once`, and `again` without end; resolves when nothing of it is taken any more, as nothing of what comes of it is read. */
export async function openUnread(port: number, from: string, once: Buffer, again: Buffer): Promise<UnreadConnection> {
  const child = spawn('python3', [join(import.meta.dirname, 'unread_connection.py'), String(port), from], {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const ended = new Promise<void>((resolve) => void child.once('close', () => resolve()));
  let said = '';
  child.stderr.on('data', (bytes) => {
    said += bytes;
  });
  child.stdin.end([once, again].map((bytes) => bytes.toString('base64')).join('\n'));
  await new Promise<void>((resolve, reject) => {
    child.stdout.once('data', () => resolve());
    child.once('error', reject);
    void ended.then(() => reject(new Error(`it ended before it was stuck: ${said}`)));
  });
  return {
    async close() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
