// The texts of a chunk: each language is loaded with the first part that needs it.
import { type ComponentType, createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { useApp } from '../app.ts';
import type { Language } from '../preferences.ts';
import { Loading, ProblemCallout } from './callout.tsx';
import { useLoaded } from './loaded.ts';

interface LaterTexts<Texts> {
  /** For what is drawn within a part. */
  readonly useTexts: () => Texts;
  /** Draws the part once its texts are there. */
  readonly withTexts: <Properties extends object>(Part: ComponentType<Properties>) => ComponentType<Properties>;
}

export function createTexts<Texts>(load: Readonly<Record<Language, () => Promise<Texts>>>): LaterTexts<Texts> {
  const TextsContext = createContext<Texts | undefined>(undefined);
  const loaded = new Map<Language, Texts>();
  return {
    useTexts() {
      const texts = useContext(TextsContext);
      if (texts === undefined) throw new Error('outside of the texts');
      return texts;
    },
    withTexts: (Part) => (properties) => {
      const language = useApp().preferences.language.value;
      const { value, problem, retry } = useLoaded(loaded.get(language), load[language], language);
      if (value === undefined) return problem === undefined ? <Loading /> : <ProblemCallout problem={problem} retry={retry} />;
      loaded.set(language, value);
      return (
        <TextsContext.Provider value={value}>
          <Part {...properties} />
        </TextsContext.Provider>
      );
    },
  };
}
