// The texts about the programs that use the gateway as something else, loaded with the first page that needs them.
import { createTexts } from '../components/later-texts.tsx';
import type { FacadeTexts } from './language/facades-en.ts';

export const { useTexts, withTexts } = createTexts<FacadeTexts>({
  en: async () => (await import('./language/facades-en.ts')).facadesEn,
  de: async () => (await import('./language/facades-de.ts')).facadesDe,
});
