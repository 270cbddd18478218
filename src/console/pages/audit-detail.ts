// The detail of an entry of the audit log: the gateway's own words in the language of the page, dates as dates; what people typed stays as it is.

/** Their details are words of the gateway, not names that people gave. */
const inWords = [
  ...['account-create', 'account-rights', 'account-remove', 'token-remove', 'password-set', 'sign-in', 'session-end', 'notifications'],
  ...['device-confirm', 'lock-change', 'lock-settings', 'lock-remove', 'webhook-change', 'role-grant', 'group-lock'],
  ...['person-change', 'person-put', 'grant-add', 'grant-change', 'schedule-change', 'holidays-set', 'import-plan', 'import-apply'],
  ...['card-validity', 'passcode-change', 'passcode-remove', 'enrolment-begin', 'home-assistant-code'],
];

/** Before this, in epoch milliseconds, a number is no date. */
const earliestDate = 1e11;

/** `words` by the words of the gateway; `dateTime` writes epoch milliseconds. */
export function auditDetail(
  { action, detail }: { readonly action: string; readonly detail: string },
  words: Readonly<Record<string, string>>,
  dateTime: (ms: number) => string,
): string {
  const said = (text: string) => words[text] ?? text;
  // A card or passcode is followed by the name that somebody gave it.
  if (action === 'credential-add') return detail.replace(/^[a-z]+/, said);
  // A browser, by its own word, and its address.
  if (action === 'handover') return detail.replace(/^a browser(?= at \S+$)/, said).replace(/at(?= \S+$)/, said);
  // The other sessions of an account are counted; of a single one the account is named.
  if (!inWords.includes(action) || (action === 'session-end' && !/^\d/.test(detail))) return detail;
  return (
    detail
      .replace('startDate 0, endDate 0', 'always')
      .split(', ')
      // No date at this end.
      .filter((piece) => piece !== 'startDate 0' && piece !== 'endDate 0')
      .map((piece) => {
        if (words[piece] !== undefined) return words[piece];
        const [, name = '', number = ''] = /^(\S+) (\d+)$/.exec(piece) ?? [];
        if (Number(number) > earliestDate) return `${said(name)} ${dateTime(Number(number))}`;
        // `alice: manager`, `3 locked`, `suspended true`: each word by itself, but not those of a name.
        const [, before = '', rest = ''] = /^(.*: )?(.*)$/.exec(piece) ?? [];
        const head = before === '' || action === 'role-grant' ? before : `${said(before.slice(0, -2))}: `;
        return head + rest.split(' ').map(said).join(' ');
      })
      .join(', ')
  );
}
