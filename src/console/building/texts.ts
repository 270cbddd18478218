// The texts about the building as a whole, loaded with the first part that needs them.
import { createTexts } from '../components/later-texts.tsx';
import type { BuildingTexts } from './language/building-en.ts';

export const { useTexts, withTexts } = createTexts<BuildingTexts>({
  en: async () => (await import('./language/building-en.ts')).buildingEn,
  de: async () => (await import('./language/building-de.ts')).buildingDe,
});
