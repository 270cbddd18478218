// What is loaded when somebody first opens a page about people and what they may open.
import type { ComponentType } from 'preact';
import type { PageProps } from '../pages/page.ts';
import { ComparisonPage } from './pages/comparison.tsx';
import { GrantsPage } from './pages/grants.tsx';
import { ImportPage } from './pages/import.tsx';
import { LockEntries } from './pages/lock-entries.tsx';
import { PeoplePage } from './pages/people.tsx';
import { PersonPage } from './pages/person.tsx';
import { QuestionsPage } from './pages/questions.tsx';
import { RevocationPage } from './pages/revocation.tsx';
import { SchedulesPage } from './pages/schedules.tsx';
import { withTexts } from './texts.ts';

const page = (Part: ComponentType<PageProps>) => withTexts(Part);

export const parts = {
  comparison: page(ComparisonPage),
  grants: page(GrantsPage),
  import: page(ImportPage),
  people: page(PeoplePage),
  person: page(PersonPage),
  questions: page(QuestionsPage),
  revocation: page(RevocationPage),
  schedules: page(SchedulesPage),
  lockEntries: withTexts(LockEntries),
};
