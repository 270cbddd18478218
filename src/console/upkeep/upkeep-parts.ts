// What is loaded when somebody looks after the gateway itself.
import { BackupsPanel } from './backups-panel.tsx';
import { CertificatePanel } from './certificate-panel.tsx';
import { FirstRun } from './first-run.tsx';
import { withTexts } from './texts.ts';
import { UpdatePanel } from './update-panel.tsx';
import { WarningsPanel } from './warnings-panel.tsx';

export const parts = {
  backups: withTexts(BackupsPanel),
  certificate: withTexts(CertificatePanel),
  update: withTexts(UpdatePanel),
  warnings: withTexts(WarningsPanel),
  firstRun: withTexts(FirstRun),
};
