// Whether the daemon grows: its memory and its descriptors, sampled all the while (Fault T23).
import { readdirSync, readFileSync } from 'node:fs';
import type { SoakGateway } from './soak-gateway.ts';

interface Sample {
  readonly residentMb: number;
  readonly descriptors: number;
}

const everyMs = 2_000;
/** The first fifth is warming up. */
const warmUpShare = 0.2;
/** What today's records take in memory, and what a collector leaves lying around. */
const growthMb = 40;
const growthShare = 1.25;
const descriptorsMore = 30;

export function startWatch(gateway: SoakGateway): { stop(): readonly Sample[] } {
  const samples: Sample[] = [];
  const timer = setInterval(() => {
    try {
      const pid = gateway.pid();
      const residentMb = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
      samples.push({ residentMb, descriptors: readdirSync(`/proc/${pid}/fd`).length });
    } catch {
      // It is ended just now: the gateway tells.
    }
  }, everyMs);
  return {
    stop() {
      clearInterval(timer);
      return samples;
    },
  };
}

/** Compares the beginning with the end; what is wrong with it. */
export function growth(samples: readonly Sample[], say: (text: string) => void): string[] {
  const settled = samples.slice(Math.floor(samples.length * warmUpShare));
  const third = Math.floor(settled.length / 3);
  if (third < 5) {
    say('too short to see whether anything grows');
    return [];
  }
  const early = middle(settled.slice(0, third));
  const late = middle(settled.slice(-third));
  say(
    `memory ${early.residentMb.toFixed(0)} MB, later ${late.residentMb.toFixed(0)} MB; descriptors ${early.descriptors}, later ${late.descriptors}`,
  );
  const problems: string[] = [];
  if (late.residentMb > early.residentMb * growthShare + growthMb) problems.push('the memory of the daemon grows');
  if (late.descriptors > early.descriptors + descriptorsMore) problems.push('the descriptors of the daemon grow');
  return problems;
}

function middle(samples: readonly Sample[]): Sample {
  const of = (pick: (sample: Sample) => number): number => samples.map(pick).sort((a, b) => a - b)[samples.length >> 1] ?? 0;
  return { residentMb: of(({ residentMb }) => residentMb), descriptors: of(({ descriptors }) => descriptors) };
}
