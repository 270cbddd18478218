// The time after which a lock locks itself.
import { useApp, useStrings } from '../app.ts';
import { TextField } from '../components/field.tsx';
import { Form } from '../components/form.tsx';

interface AutoLockProps {
  readonly lockId: number;
  /** The present value; undefined for an account that may change it but not read it. */
  readonly seconds: number | undefined;
  readonly onChange: () => void;
}

export function AutoLock({ lockId, seconds, onChange }: AutoLockProps) {
  const { client, toasts } = useApp();
  const { lock: strings, common } = useStrings();
  return (
    <section class="panel" aria-labelledby="auto-lock">
      <h2 id="auto-lock">{strings.autoLock}</h2>
      <p class="intro">{strings.autoLockText}</p>
      <Form
        key={seconds}
        submit={common.save}
        required={['seconds']}
        onSubmit={async (values) => {
          const wanted = values.text('seconds');
          await client.ask('POST', 'lock/set-auto-lock-timer', { query: { lockId, seconds: wanted } });
          toasts.show('good', strings.autoLockSaved(Number(wanted)));
          onChange();
        }}
      >
        {(errorOf) => (
          <div class="short">
            <TextField
              label={strings.seconds}
              name="seconds"
              type="number"
              min={0}
              max={65535}
              value={seconds?.toString()}
              hint={strings.secondsHint}
              error={errorOf('seconds')}
              required
            />
          </div>
        )}
      </Form>
    </section>
  );
}
