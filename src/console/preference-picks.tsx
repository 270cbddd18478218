// Language and appearance, for this device.
import { useApp, useStrings } from './app.ts';
import { SelectField } from './components/field.tsx';
import { type Language, languages, type Theme } from './preferences.ts';

export function PreferencePicks() {
  const { language, theme } = useApp().preferences;
  const { layout } = useStrings();
  return (
    <div class="preferences">
      <SelectField
        label={layout.language}
        name="language"
        value={language.value}
        options={Object.entries(languages).map(([value, { name }]) => ({ value, text: name }))}
        onInput={(value) => {
          language.value = value as Language;
        }}
      />
      <SelectField
        label={layout.theme}
        name="theme"
        value={theme.value}
        options={Object.entries(layout.themes).map(([value, text]) => ({ value, text }))}
        onInput={(value) => {
          theme.value = value as Theme;
        }}
      />
    </div>
  );
}
