// The texts about the upkeep of the gateway, loaded with the first page that needs them.
import { createTexts } from '../components/later-texts.tsx';
import type { UpkeepTexts } from './language/upkeep-en.ts';

export const { useTexts, withTexts } = createTexts<UpkeepTexts>({
  en: async () => (await import('./language/upkeep-en.ts')).upkeepEn,
  de: async () => (await import('./language/upkeep-de.ts')).upkeepDe,
});
