// The texts about people and what they may open, loaded with the first page that needs them.
import { type ComponentChildren, createContext } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';
import { useApp } from '../app.ts';
import { Loading, ProblemCallout } from '../components/callout.tsx';
import type { Language } from '../preferences.ts';
import type { AccessTexts } from './language/access-en.ts';

const load: Readonly<Record<Language, () => Promise<AccessTexts>>> = {
  en: async () => (await import('./language/access-en.ts')).accessEn,
  de: async () => (await import('./language/access-de.ts')).accessDe,
};

const TextsContext = createContext<AccessTexts | undefined>(undefined);
const loaded = new Map<Language, AccessTexts>();

export function useTexts(): AccessTexts {
  const texts = useContext(TextsContext);
  if (texts === undefined) throw new Error('outside of the texts');
  return texts;
}

export function WithTexts({ children }: { children: ComponentChildren }) {
  const language = useApp().preferences.language.value;
  const [, setTimes] = useState(0);
  const [problem, setProblem] = useState<unknown>();
  const again = () => setTimes((before) => before + 1);
  useEffect(() => {
    if (loaded.has(language)) return;
    load[language]().then((texts) => {
      loaded.set(language, texts);
      again();
    }, setProblem);
  }, [language]);
  const texts = loaded.get(language);
  if (texts === undefined) return problem === undefined ? <Loading /> : <ProblemCallout problem={problem} />;
  return <TextsContext.Provider value={texts}>{children}</TextsContext.Provider>;
}
