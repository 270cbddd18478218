// All pages: the address of each, and who sees it in the navigation, and where. A new page is a file here, a line below, and a section in
// both languages.
import type { ComponentType } from 'preact';
import { BoardPage } from '../board/board-page.tsx';
import type { IconName } from '../components/icon.tsx';
import { accessPart, accountPart, buildingPart, facadePart, gatewayPart } from '../components/later.tsx';
import type { Strings } from '../language/en.ts';
import type { Live } from '../live.ts';
import { AlarmsPage } from './alarms.tsx';
import { LockPage } from './lock.tsx';
import { LockCardsPage } from './lock-cards.tsx';
import { LockRecordsPage } from './lock-records.tsx';
import { LockRolesPage } from './lock-roles.tsx';
import { OnLockPage } from './on-lock.tsx';
import type { PageProps } from './page.ts';

export interface PageEntry {
  readonly path: string;
  readonly view: ComponentType<PageProps>;
  /** Absent: only another page links to it. `people`: for access managers; `administration`: for gateway administrators. */
  readonly navigation?: {
    readonly group: 'building' | 'people' | 'administration';
    readonly icon: IconName;
    readonly text: (strings: Strings) => string;
    /** Who is a manager of no lock would find nothing there. */
    readonly isForManagers?: true;
    /** How many items there wait for a person; 0 is not shown. */
    readonly count?: (live: Live) => number;
  };
}

export const pages: readonly PageEntry[] = [
  { path: '', view: BoardPage, navigation: { group: 'building', icon: 'lock', text: ({ locks }) => locks.title } },
  { path: 'locks/:lockId', view: LockPage },
  { path: 'locks/:lockId/records', view: LockRecordsPage },
  { path: 'locks/:lockId/cards', view: LockCardsPage },
  { path: 'locks/:lockId/cards/on-lock', view: OnLockPage },
  { path: 'locks/:lockId/roles', view: LockRolesPage },
  {
    path: 'alarms',
    view: AlarmsPage,
    navigation: { group: 'building', icon: 'alert', text: ({ alarms }) => alarms.title, count: ({ alarms }) => alarms.value.length },
  },
  {
    path: 'activity',
    view: buildingPart('activity'),
    navigation: { group: 'building', icon: 'clock', text: ({ layout }) => layout.activity, isForManagers: true },
  },
  {
    path: 'questions',
    view: accessPart('questions'),
    navigation: { group: 'building', icon: 'search', text: ({ layout }) => layout.questions, isForManagers: true },
  },
  { path: 'people', view: accessPart('people'), navigation: { group: 'people', icon: 'people', text: ({ layout }) => layout.people } },
  { path: 'people/:personId', view: accessPart('person') },
  { path: 'grants', view: accessPart('grants'), navigation: { group: 'people', icon: 'key', text: ({ layout }) => layout.grants } },
  {
    path: 'schedules',
    view: accessPart('schedules'),
    navigation: { group: 'people', icon: 'clock', text: ({ layout }) => layout.schedules },
  },
  { path: 'import', view: accessPart('import'), navigation: { group: 'people', icon: 'send', text: ({ layout }) => layout.import } },
  {
    path: 'comparison',
    view: accessPart('comparison'),
    navigation: { group: 'people', icon: 'check', text: ({ layout }) => layout.comparison },
  },
  { path: 'revocations/:of/:id', view: accessPart('revocation') },
  {
    path: 'registered',
    view: gatewayPart('registered'),
    navigation: { group: 'administration', icon: 'door', text: ({ registered }) => registered.title },
  },
  { path: 'registered/:lockId', view: gatewayPart('registeredLock') },
  { path: 'removed', view: gatewayPart('removedLocks') },
  { path: 'removed/:lockId', view: gatewayPart('removedLock') },
  {
    path: 'pairing',
    view: gatewayPart('pairing'),
    navigation: { group: 'administration', icon: 'pair', text: ({ pairing }) => pairing.title },
  },
  { path: 'hubs', view: gatewayPart('hubs'), navigation: { group: 'administration', icon: 'hub', text: ({ hubs }) => hubs.title } },
  { path: 'account', view: accountPart('account') },
  {
    path: 'accounts',
    view: accountPart('accounts'),
    navigation: { group: 'administration', icon: 'people', text: ({ layout }) => layout.accounts },
  },
  {
    path: 'tokens',
    view: accountPart('tokens'),
    navigation: { group: 'administration', icon: 'key', text: ({ layout }) => layout.tokens },
  },
  {
    path: 'notifications',
    view: accountPart('notifications'),
    navigation: { group: 'building', icon: 'alert', text: ({ layout }) => layout.notifications },
  },
  { path: 'notifications/:secret', view: accountPart('notifications') },
  {
    path: 'webhooks',
    view: gatewayPart('webhooks'),
    navigation: { group: 'building', icon: 'send', text: ({ webhooks }) => webhooks.title },
  },
  { path: 'webhooks/:webhookId', view: gatewayPart('webhook') },
  {
    path: 'home-assistant',
    view: facadePart('homeAssistant'),
    navigation: { group: 'administration', icon: 'home', text: ({ layout }) => layout.homeAssistant },
  },
  {
    path: 'ttlock',
    view: facadePart('ttlock'),
    navigation: { group: 'administration', icon: 'send', text: ({ layout }) => layout.ttlock },
  },
  {
    path: 'audit',
    view: gatewayPart('audit'),
    navigation: { group: 'administration', icon: 'list', text: ({ audit }) => audit.title },
  },
  {
    path: 'system',
    view: gatewayPart('system'),
    navigation: { group: 'administration', icon: 'gauge', text: ({ system }) => system.title },
  },
];
