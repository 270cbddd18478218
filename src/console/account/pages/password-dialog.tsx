// Changes one's password, or sets the first one.
import type { Problem } from '../../api/problem.ts';
import { useApp } from '../../app.ts';
import { FormDialog } from '../../components/dialog.tsx';
import { TextField } from '../../components/field.tsx';
import { NewPassword, requireRules } from '../components/new-password.tsx';
import { useTexts } from '../texts.ts';
import type { OwnSession } from '../types.ts';

interface PasswordDialogProps {
  readonly own: OwnSession;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

export function PasswordDialog({ own, onClose, onDone }: PasswordDialogProps) {
  const { client } = useApp();
  const { password: texts } = useTexts();
  const explain = ({ code }: Problem) =>
    new Map([
      ['password-weak', texts.weak],
      ['credentials-invalid', texts.wrong],
      ['forbidden', texts.forbidden],
    ]).get(code);
  return (
    <FormDialog
      title={own.hasPassword ? texts.change : texts.set}
      required={own.hasPassword ? ['current', 'password'] : ['password']}
      explain={explain}
      onClose={onClose}
      onSubmit={async ({ typed }) => {
        const password = typed('password');
        requireRules(password, own.username, texts);
        await client.ask('PUT', 'account/password', { body: { password, ...(own.hasPassword && { current: typed('current') }) } });
        onDone();
      }}
    >
      {(errorOf) => (
        <>
          {own.hasPassword && (
            <TextField
              label={texts.current}
              name="current"
              type="password"
              autocomplete="current-password"
              error={errorOf('current')}
              required
              autoFocus
            />
          )}
          <NewPassword username={own.username} error={errorOf('password')} autoFocus={!own.hasPassword} />
          <p class="hint">{texts.endsOthers}</p>
        </>
      )}
    </FormDialog>
  );
}
