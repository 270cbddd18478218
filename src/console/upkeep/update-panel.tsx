// Whether there is a newer version of the gateway, and how it is installed.
import type { GatewayStatus } from '../api/types.ts';
import { Callout } from '../components/callout.tsx';
import { LinesToCopy } from '../components/lines-to-copy.tsx';
import { useFormats } from '../format.ts';
import { useTexts } from './texts.ts';

export function UpdatePanel({ update }: Pick<GatewayStatus, 'update'>) {
  const { update: texts } = useTexts();
  return (
    <section class="upkeep">
      <h2>{texts.title}</h2>
      {update.state === 'available' ? (
        <Callout kind="warning">
          <p>{texts.available(update.version ?? '')}</p>
          <LinesToCopy label={texts.command} lines="sudo apt-get install --only-upgrade latchd" />
        </Callout>
      ) : (
        <NoUpdate {...update} />
      )}
    </section>
  );
}

function NoUpdate({ reason, askedDate, lookedDate }: GatewayStatus['update']) {
  const { update: texts } = useTexts();
  const { dateTime } = useFormats();
  if (reason !== null) return <p>{texts.reasons[reason]}</p>;
  return <p>{askedDate === null ? texts.off : texts.newest(dateTime(lookedDate ?? askedDate))}</p>;
}
