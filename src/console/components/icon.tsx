// Line drawings on a grid of 24, one path each, in the colour of the text beside them. Never the only thing that says something.

const drawings = {
  lock: 'M7 11V8a5 5 0 0 1 10 0v3M6 11h12a1 1 0 0 1 1 1v8a1 1 0 0 1-1 1H6a1 1 0 0 1-1-1v-8a1 1 0 0 1 1-1Z',
  unlock: 'M7 11V7a5 5 0 0 1 9.6-2M6 11h12a1 1 0 0 1 1 1v8a1 1 0 0 1-1 1H6a1 1 0 0 1-1-1v-8a1 1 0 0 1 1-1Z',
  people: 'M9 11a4 4 0 1 0 0-8 4 4 0 0 0 0 8ZM2 21v-1a7 7 0 0 1 14 0v1M16 3.5a4 4 0 0 1 0 7.3M18.5 14.2A7 7 0 0 1 22 20v1',
  search: 'M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14ZM16 16l5 5',
  alert: 'M12 4 2.5 20h19L12 4ZM12 10v4M12 17v.1',
  offline:
    'M3 3l18 18M8.5 15.5a5 5 0 0 1 5.2-1.2M5 12a10 10 0 0 1 4-2.4M13 9a10 10 0 0 1 6 3M2 8.5A15 15 0 0 1 6 6M10.5 5A15 15 0 0 1 22 8.5M12 19v.1',
  menu: 'M4 6h16M4 12h16M4 18h16',
  close: 'M6 6l12 12M18 6 6 18',
  left: 'M15 5l-7 7 7 7',
  right: 'M9 5l7 7-7 7',
  plus: 'M12 5v14M5 12h14',
} as const;

export type IconName = keyof typeof drawings;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={drawings[name]} />
    </svg>
  );
}
