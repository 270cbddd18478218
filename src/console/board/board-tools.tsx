// Above the board: what to search for, and how to show it. What was searched for is in the address, so that Back leads to it.
import { useApp, useStrings } from '../app.ts';
import { Button } from '../components/button.tsx';
import { SelectField } from '../components/field.tsx';
import { Icon } from '../components/icon.tsx';
import { SearchField } from '../components/search-field.tsx';

export function BoardTools({ onOrder }: { onOrder: () => void }) {
  const { board, router, session } = useApp();
  const { locks: strings } = useStrings();
  const { search = '', group = '', show = 'all' } = router.query.value;
  const groups = board.groups.value ?? [];
  const person = session.state.value;
  const mayOrder = typeof person === 'object' && person.gatewayAdministrator && groups.filter(({ groupId }) => groupId !== 0).length > 1;
  return (
    <search class="filters">
      <SearchField label={strings.search} value={search} onInput={(value) => router.ask({ search: value })} />
      {groups.length > 1 && (
        <SelectField
          label={strings.group}
          name="group"
          value={group}
          onInput={(value) => router.ask({ group: value })}
          options={[
            { value: '', text: strings.allGroups },
            ...groups.map(({ groupId, name }) => ({ value: String(groupId), text: groupId === 0 ? strings.noGroup : name })),
          ]}
        />
      )}
      <SelectField
        label={strings.show}
        name="show"
        value={show}
        onInput={(value) => router.ask({ show: value === 'all' ? '' : value })}
        options={Object.entries(strings.shows).map(([value, text]) => ({ value, text }))}
      />
      <div class="tools">
        <ViewPick />
        {mayOrder && <Button onClick={onOrder}>{strings.order}</Button>}
      </div>
    </search>
  );
}

function ViewPick() {
  const { boardView } = useApp().preferences;
  const { locks: strings } = useStrings();
  const pick = (value: 'tiles' | 'list') => (
    <button
      type="button"
      class="button square"
      aria-pressed={boardView.value === value}
      aria-label={strings.views[value]}
      title={strings.views[value]}
      onClick={() => {
        boardView.value = value;
      }}
    >
      <Icon name={value} />
    </button>
  );
  return (
    // biome-ignore lint/a11y/useSemanticElements: two buttons are no part of a form
    <div role="group" class="pick" aria-label={strings.view}>
      {pick('tiles')}
      {pick('list')}
    </div>
  );
}
