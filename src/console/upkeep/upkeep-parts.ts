// What is loaded when somebody looks after the gateway itself.
import { BackupsPanel } from './backups-panel.tsx';
import { CertificatePanel } from './certificate-panel.tsx';
import { FirstRun } from './first-run.tsx';
import { withTexts } from './texts.ts';
import { WarningsPanel } from './warnings-panel.tsx';

export const parts = {
  backups: withTexts(BackupsPanel),
  certificate: withTexts(CertificatePanel),
  warnings: withTexts(WarningsPanel),
  firstRun: withTexts(FirstRun),
};
