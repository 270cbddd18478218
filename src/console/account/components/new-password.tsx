// The field for a password that somebody chooses, with the rules that it keeps; they are checked while it is typed.
import { useState } from 'preact/hooks';
import { Problem } from '../../api/problem.ts';
import { CheckField, TextField } from '../../components/field.tsx';
import { Icon } from '../../components/icon.tsx';
import { useTexts } from '../texts.ts';

const shortest = 10;
const longest = 200;

interface NewPasswordProps {
  readonly username: string;
  readonly error: string | undefined;
  readonly autoFocus?: boolean;
}

/** Its value is called `password`. */
export function NewPassword({ username, error, autoFocus = false }: NewPasswordProps) {
  const { password: texts } = useTexts();
  const [typed, setTyped] = useState('');
  const [isShown, setShown] = useState(false);
  return (
    <>
      {/* For password managers: whose password it is. */}
      <input type="text" name="username" autocomplete="username" value={username} readOnly hidden />
      <TextField
        label={texts.new}
        name="password"
        type={isShown ? 'text' : 'password'}
        autocomplete="new-password"
        error={error}
        required
        autoFocus={autoFocus}
        onInput={setTyped}
      />
      <ul class="rules" aria-label={texts.rules}>
        <Rule isKept={isLongEnough(typed)}>{texts.length(shortest, longest)}</Rule>
        <Rule isKept={typed !== '' && !isName(typed, username)}>{texts.notTheName}</Rule>
        <Rule isKept={false}>{texts.notOften}</Rule>
      </ul>
      <CheckField label={texts.show} name="show" checked={isShown} onInput={setShown} />
    </>
  );
}

/** Throws the `Problem` of the first rule that the password breaks; whether it is a common one, the gateway knows. */
export function requireRules(typed: string, username: string, texts: ReturnType<typeof useTexts>['password']): void {
  const wrong = (message: string) => new Problem('invalid-parameter', '', new Map([['password', message]]));
  if (!isLongEnough(typed)) throw wrong(texts.length(shortest, longest));
  if (isName(typed, username)) throw wrong(texts.notTheName);
}

const isLongEnough = (typed: string) => [...typed].length >= shortest && [...typed].length <= longest;
const isName = (typed: string, username: string) => typed.toLowerCase() === username.toLowerCase();

function Rule({ isKept, children }: { isKept: boolean; children: string }) {
  const { password } = useTexts();
  return (
    <li class={isKept ? 'kept' : undefined}>
      {isKept && <Icon name="check" />}
      <span>
        {children}
        {isKept && <span class="unseen"> ({password.checked})</span>}
      </span>
    </li>
  );
}
