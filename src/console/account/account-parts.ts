// What is loaded when somebody first opens a page about accounts: one's own, and those of others.
import type { ComponentType } from 'preact';
import type { PageProps } from '../pages/page.ts';
import { AccountPage } from './pages/account.tsx';
import { AccountsPage } from './pages/accounts.tsx';
import { HandoverPage } from './pages/handover.tsx';
import { InvitationPage } from './pages/invitation.tsx';
import { NotificationsPage } from './pages/notifications.tsx';
import { TokensPage } from './pages/tokens.tsx';
import { withTexts } from './texts.ts';

const page = (Part: ComponentType<PageProps>) => withTexts(Part);

export const parts = {
  account: page(AccountPage),
  accounts: page(AccountsPage),
  notifications: page(NotificationsPage),
  tokens: page(TokensPage),
  handover: withTexts(HandoverPage),
  invitation: withTexts(InvitationPage),
};
