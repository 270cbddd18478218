// The root certificate of the gateway, to be handed out to the devices of people.
import { useAnswer } from '../components/polled.ts';
import { RootCertificate } from './first-run.tsx';
import type { Reach } from './reach.ts';
import { useTexts } from './texts.ts';

/** Nothing where there is none of its own. */
export function CertificatePanel() {
  const { certificate: texts } = useTexts();
  const certificate = useAnswer<Reach>('gateway/reach').value?.certificate ?? null;
  if (certificate === null) return null;
  return (
    <section class="upkeep">
      <h2>{texts.title}</h2>
      <RootCertificate {...certificate} />
    </section>
  );
}
