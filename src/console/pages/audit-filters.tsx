// What to look for in the audit log. It is in the address, so that Back and a link lead to it.
import { useApp, useStrings } from '../app.ts';
import { AskedSearch } from '../components/asked-table.tsx';
import { SelectField, TextField } from '../components/field.tsx';
import { FoldedFilters } from '../components/folded-filters.tsx';
import { SuggestField } from '../components/suggest-field.tsx';
import { useUsernameSuggestions } from '../components/usernames.ts';

/** The API's name for an administrator of the gateway's own machine. */
export const thisMachine = '(this machine)';

export function AuditFilters() {
  const { router } = useApp();
  const { audit } = useStrings();
  const { from = '', to = '', action = '', success = '' } = router.query.value;
  const actions = Object.entries(audit.actions)
    .map(([value, text]) => ({ value, text }))
    .sort((one, other) => one.text.localeCompare(other.text));
  return (
    <FoldedFilters title={audit.filters} clear={audit.clear}>
      <AskedSearch />
      <TextField label={audit.from} name="from" type="date" value={from} onInput={(value) => router.ask({ from: value, page: '' })} />
      <TextField label={audit.to} name="to" type="date" value={to} onInput={(value) => router.ask({ to: value, page: '' })} />
      <Who />
      <SelectField
        label={audit.what}
        name="action"
        value={action}
        onInput={(value) => router.ask({ action: value, page: '' })}
        options={[{ value: '', text: audit.anything }, ...actions]}
      />
      <SelectField
        label={audit.outcome}
        name="success"
        value={success}
        onInput={(value) => router.ask({ success: value, page: '' })}
        options={[
          { value: '', text: audit.anyOutcome },
          { value: '1', text: audit.succeeded },
          { value: '0', text: audit.failed },
        ]}
      />
    </FoldedFilters>
  );
}

/** An account, also one that is gone, or the gateway's own machine. */
function Who() {
  const { router } = useApp();
  const { audit } = useStrings();
  const { username = '' } = router.query.value;
  return (
    <SuggestField
      label={audit.who}
      value={username === thisMachine ? audit.thisMachine : username}
      suggest={useUsernameSuggestions([audit.thisMachine])}
      onPick={(picked, text) =>
        router.ask({ username: picked?.text === audit.thisMachine ? thisMachine : (picked?.text ?? text), page: '' })
      }
    />
  );
}
