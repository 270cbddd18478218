// Faults of firmware, by name: each breaks one rule of PROTOCOL.md that can be seen from outside.
import type { PlantedFault } from './planted/breach.ts';
import { cardFaults } from './planted/cards.ts';
import { commandFaults } from './planted/commands.ts';
import { connectingFaults } from './planted/connecting.ts';
import { eventFaults } from './planted/events.ts';
import { passcodeFaults } from './planted/passcodes.ts';

const faults = { ...connectingFaults, ...commandFaults, ...eventFaults, ...cardFaults, ...passcodeFaults };
export type PlantedFaultName = keyof typeof faults;
export const plantedFaults: Readonly<Record<PlantedFaultName, PlantedFault>> = faults;

export function isPlantedFault(name: string): name is PlantedFaultName {
  return Object.hasOwn(plantedFaults, name);
}

/** One line for each: its name, the place in PROTOCOL.md that it breaks, and what the lock does. */
export function plantedFaultLines(): string[] {
  return Object.entries(plantedFaults).map(([name, { rule, does }]) => `${name.padEnd(27)}${rule.padEnd(21)}${does}`);
}
