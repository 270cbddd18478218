// An account by its name: those that there are, which only gateway administrators may list, are offered while a person types.
import type { FieldProps } from './field.tsx';
import { SuggestField } from './suggest-field.tsx';
import { useUsernameSuggestions } from './usernames.ts';

export function AccountField({ autoFocus = false, ...field }: FieldProps & { readonly autoFocus?: boolean }) {
  return <SuggestField {...field} value="" suggest={useUsernameSuggestions()} required autoFocus={autoFocus} />;
}
