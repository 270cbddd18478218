// The only page for a person who is not signed in.
import { useEffect } from 'preact/hooks';
import { useApp, useStrings } from '../app.ts';
import { Callout } from '../components/callout.tsx';
import { CheckField, TextField } from '../components/field.tsx';
import { Form } from '../components/form.tsx';
import { Icon } from '../components/icon.tsx';
import { PageHead } from '../components/page-head.tsx';
import { PreferencePicks } from '../preference-picks.tsx';

export function SignInPage() {
  const { session } = useApp();
  const { signIn } = useStrings();
  // The page has only one field.
  useEffect(() => document.querySelector<HTMLElement>('[data-autofocus]')?.focus(), []);
  return (
    <main class="sign-in">
      <div class="panel">
        <p class="brand">
          <Icon name="lock" />
          latchd
        </p>
        <PageHead title={signIn.title} intro={signIn.text} />
        {session.state.value === 'ended' && <Callout kind="info">{signIn.ended}</Callout>}
        <Form
          submit={signIn.submit}
          required={['token']}
          explain={({ code }) => (code === 'token-invalid' || code === 'invalid-parameter' ? signIn.wrong : undefined)}
          onSubmit={(values) => session.signIn(values.text('token'), values.checked('remember'))}
        >
          {(errorOf) => (
            <>
              <TextField
                label={signIn.token}
                name="token"
                type="password"
                hint={signIn.tokenHint}
                error={errorOf('token')}
                required
                autoFocus
              />
              <CheckField label={signIn.remember} name="remember" hint={signIn.rememberHint} />
            </>
          )}
        </Form>
      </div>
      <PreferencePicks />
    </main>
  );
}
