// The texts about accounts, loaded with the first page that needs them.
import { createTexts } from '../components/later-texts.tsx';
import type { AccountTexts } from './language/account-en.ts';

export const { useTexts, withTexts } = createTexts<AccountTexts>({
  en: async () => (await import('./language/account-en.ts')).accountEn,
  de: async () => (await import('./language/account-de.ts')).accountDe,
});
