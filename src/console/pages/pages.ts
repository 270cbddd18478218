// Every page: its address, who has it in the navigation, and where. A new page is a file here, a line below, and a section in both languages.
import type { ComponentType } from 'preact';
import type { IconName } from '../components/icon.tsx';
import type { Strings } from '../language/en.ts';
import { AccountsPage } from './accounts.tsx';
import { LocksPage } from './locks.tsx';

export interface PageProps {
  /** The values in the address, by their names in `path`. */
  readonly parameters: Readonly<Record<string, string>>;
}

export interface PageEntry {
  readonly path: string;
  readonly view: ComponentType<PageProps>;
  /** Absent: reached from another page only. `administration` is for gateway administrators alone. */
  readonly navigation?: {
    readonly group: 'building' | 'administration';
    readonly icon: IconName;
    readonly text: (strings: Strings) => string;
  };
}

export const pages: readonly PageEntry[] = [
  { path: '', view: LocksPage, navigation: { group: 'building', icon: 'lock', text: ({ locks }) => locks.title } },
  { path: 'accounts', view: AccountsPage, navigation: { group: 'administration', icon: 'people', text: ({ accounts }) => accounts.title } },
];
