// Starts a floor of this folder in a process of its own.
import { fileURLToPath } from 'node:url';
import type { Address } from '../daemon.ts';
import { type Child, startChild } from '../processes.ts';

export interface Floor<Name extends string> extends Child {
  readonly at: Readonly<Record<Name, Address>>;
}

const patienceMs = 20_000;

/** `Name`: the servers that it announces. */
async function startFloor<Name extends string>(file: string, args: readonly string[] = []): Promise<Floor<Name>> {
  const path = fileURLToPath(new URL(`./${file}.js`, import.meta.url));
  const { child, pid, stop } = startChild(process.execPath, [path, ...args], { ipc: true });
  const at = await new Promise<Readonly<Record<Name, Address>>>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`${file} did not begin to serve`)), patienceMs);
    child.once('exit', () => reject(new Error(`${file} did not start`)));
    child.once('message', (addresses) => {
      clearTimeout(timer);
      resolve(addresses as Record<Name, Address>);
    });
  });
  return { pid, stop, at };
}

export const startHelloNode = () => startFloor<'http'>('hello-node');
export const startHelloExpress = () => startFloor<'http'>('hello-express');
export const startTrimmedExpress = () => startFloor<'http'>('trimmed-express');
export const startEcho = () => startFloor<'echo'>('echo');
export const startFanOut = () => startFloor<'http' | 'poke'>('fan-out');
export const startBareBridge = () => startFloor<'http' | 'mqtt'>('bare-bridge');
export const startMosquittoBridge = (port: number) => startFloor<'http'>('mosquitto-bridge', [String(port)]);
