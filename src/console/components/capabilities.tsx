// What holds for a lock of its make: a sentence for each of its capabilities, and what to switch.
import type { Capabilities } from '../api/registration-types.ts';
import { useStrings } from '../app.ts';
import { Callout } from './callout.tsx';

type Said = Omit<Capabilities, 'warnings'>;

/** What a person should switch at the device, its program or its broker. */
export function Warnings({ capabilities: { warnings } }: { capabilities: Capabilities }) {
  const { capabilities: strings } = useStrings();
  return (
    <>
      {warnings.map((warning) => (
        <Callout key={warning} kind="warning">
          {strings.warnings[warning] ?? warning}
        </Callout>
      ))}
    </>
  );
}

/** One sentence each, folded away until somebody wants to know. */
export function CapabilityList({ capabilities }: { capabilities: Capabilities }) {
  const { capabilities: strings } = useStrings();
  const { warnings } = capabilities;
  return (
    <details class="capabilities">
      <summary>
        {strings.title}
        {warnings.length > 0 && <span class="tag bad">{strings.warned(warnings.length)}</span>}
      </summary>
      <ul>
        {Object.entries<Readonly<Record<string, string>>>(strings.says).map(([member, sentences]) => (
          <li key={member}>{sentences[String(capabilities[member as keyof Said])]}</li>
        ))}
      </ul>
    </details>
  );
}
