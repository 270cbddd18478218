// The texts about people and what they may open, loaded with the first page that needs them.
import { createTexts } from '../components/later-texts.tsx';
import type { AccessTexts } from './language/access-en.ts';

export const { useTexts, withTexts } = createTexts<AccessTexts>({
  en: async () => (await import('./language/access-en.ts')).accessEn,
  de: async () => (await import('./language/access-de.ts')).accessDe,
});
