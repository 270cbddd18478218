// What must be on each lock, by brute force: one line for each number on each lock, written from what people were answered and from what
// somebody did at the door. It knows nothing of how the gateway decides.

/** How a number must end on a lock; `either`: its last change was answered by nobody, or its dates changed while nobody knew that it was gone. */
export type Verdict =
  | { readonly is: 'there'; readonly endDate: number }
  | { readonly is: 'missing' }
  | { readonly is: 'gone' }
  | { readonly is: 'either' };

interface Line {
  readonly lock: number;
  readonly number: string;
  /** Its end; null: not wanted. */
  wanted: number | null;
  /** Somebody took it off at the lock; `seen`: and the gateway has said so. */
  takenOff: 'no' | 'unseen' | 'seen';
  isOpen: boolean;
}

export interface AccessLedger {
  /** Before anybody is asked for it: from now on the number may come to this lock. */
  asked(lock: number, number: string): void;
  wasAsked(lock: number, number: string): boolean;
  /** People want it there, and were told so. */
  wanted(lock: number, number: string, endDate: number): void;
  unwanted(lock: number, number: string): void;
  /** Nobody knows what came of it. */
  open(lock: number, number: string): void;
  takenOff(lock: number, number: string): void;
  /** The gateway calls it missing. */
  seen(lock: number, number: string): void;
  /** The memory of the lock is new. */
  wiped(lock: number): void;
  verdict(lock: number, number: string): Verdict;
  /** Numbers that were asked for there. */
  numbers(lock: number): readonly string[];
  /** Of each lock: what somebody put on at the door that the gateway does not know, with its end. */
  strangers(lock: number): Map<string, number>;
  /** Every stranger that there ever was. */
  wasStranger(lock: number, number: string): boolean;
  learnt(lock: number, number: string, endDate: number): void;
}

export function createAccessLedger(): AccessLedger {
  const lines = new Map<string, Line>();
  const strangers = new Map<number, Map<string, number>>();
  const everStrange = new Set<string>();
  const keyOf = (lock: number, number: string): string => `${lock} ${number}`;

  function line(lock: number, number: string): Line {
    const key = keyOf(lock, number);
    const found: Line = lines.get(key) ?? { lock, number, wanted: null, takenOff: 'no', isOpen: false };
    lines.set(key, found);
    return found;
  }
  function strangersOf(lock: number): Map<string, number> {
    const found = strangers.get(lock) ?? new Map<string, number>();
    strangers.set(lock, found);
    return found;
  }

  return {
    asked: (lock, number) => void line(lock, number),
    wasAsked: (lock, number) => lines.has(keyOf(lock, number)),
    wanted(lock, number, endDate) {
      const one = line(lock, number);
      // Wanted anew after it was taken off at the lock: a person has said so, and whether the gateway knew decides. The same of other dates.
      if (one.takenOff !== 'no' && one.wanted === null) one.isOpen = true;
      if (one.takenOff === 'unseen' && one.wanted !== endDate) one.isOpen = true;
      one.wanted = endDate;
    },
    unwanted(lock, number) {
      Object.assign(line(lock, number), { wanted: null, isOpen: false });
    },
    open: (lock, number) => void Object.assign(line(lock, number), { isOpen: true }),
    takenOff: (lock, number) => void Object.assign(line(lock, number), { takenOff: 'unseen' }),
    seen(lock, number) {
      const one = line(lock, number);
      if (one.takenOff === 'unseen') one.takenOff = 'seen';
    },
    wiped(lock) {
      strangersOf(lock).clear();
      for (const one of lines.values()) if (one.lock === lock && one.takenOff === 'unseen' && one.wanted !== null) one.isOpen = true;
    },
    verdict(lock, number) {
      const { wanted, takenOff, isOpen } = line(lock, number);
      if (isOpen) return { is: 'either' };
      if (wanted === null) return { is: 'gone' };
      return takenOff === 'no' ? { is: 'there', endDate: wanted } : { is: 'missing' };
    },
    numbers: (lock) => [...lines.values()].filter((one) => one.lock === lock).map(({ number }) => number),
    strangers: strangersOf,
    wasStranger: (lock, number) => everStrange.has(keyOf(lock, number)),
    learnt(lock, number, endDate) {
      strangersOf(lock).set(number, endDate);
      everStrange.add(keyOf(lock, number));
    },
  };
}
