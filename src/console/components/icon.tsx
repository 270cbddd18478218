// Line drawings on a grid of 24, one path each, in the colour of the text beside them. An icon is never the only thing that carries a
// meaning.

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
  check: 'M4 12.5 9.5 18 20 6.5',
  key: 'M14.5 14a5.5 5.5 0 1 0-5-3.2L3 17.3V21h3.7v-2.5h2.5V16h2.5l1-1a5.5 5.5 0 0 0 1.8-1ZM16 8v.1',
  pair: 'M9.5 14.5l5-5M11 6.5l2-2a4.6 4.6 0 0 1 6.5 6.5l-2 2M13 17.5l-2 2A4.6 4.6 0 0 1 4.5 13l2-2',
  hub: 'M12 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM12 9V3M9.5 13.5 4 18M14.5 13.5 20 18',
  list: 'M8 6h13M8 12h13M8 18h13M3.5 6v.1M3.5 12v.1M3.5 18v.1',
  home: 'M3 11.5 12 4l9 7.5M6 9.5V20h12V9.5M10 20v-5h4v5',
  door: 'M6 21V4a1 1 0 0 1 1-1h10a1 1 0 0 1 1 1v17M3 21h18M14.5 12v.1',
  send: 'M21 3 3 10.5l7 3L21 3ZM21 3l-7.5 18-3.5-7.5L21 3Z',
  clock: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18ZM12 7v5l3.5 2',
  star: 'M12 3.5l2.6 5.4 5.9.8-4.3 4.1 1 5.9-5.2-2.8-5.2 2.8 1-5.9-4.3-4.1 5.9-.8L12 3.5Z',
  tiles: 'M4 4h6v6H4ZM14 4h6v6h-6ZM4 14h6v6H4ZM14 14h6v6h-6Z',
  first: 'M5 4h14M5 18l7-7 7 7',
  down: 'M5 9l7 7 7-7',
  up: 'M5 15l7-7 7 7',
  gauge: 'M4.5 19a9 9 0 1 1 15 0M12 14l4-5M12 14v.1',
} as const;

export type IconName = keyof typeof drawings;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={drawings[name]} />
    </svg>
  );
}
