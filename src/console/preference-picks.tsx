// Language and appearance, for this device.
import { useApp, useStrings } from './app.ts';
import { SelectField } from './components/field.tsx';
import { type Language, languages, type Theme } from './preferences.ts';

export function PreferencePicks() {
  const { language, theme } = useApp().preferences;
  const { frame } = useStrings();
  return (
    <div class="preferences">
      <SelectField
        label={frame.language}
        name="language"
        value={language.value}
        options={Object.entries(languages).map(([value, { name }]) => ({ value, text: name }))}
        onInput={(value) => {
          language.value = value as Language;
        }}
      />
      <SelectField
        label={frame.theme}
        name="theme"
        value={theme.value}
        options={Object.entries(frame.themes).map(([value, text]) => ({ value, text }))}
        onInput={(value) => {
          theme.value = value as Theme;
        }}
      />
    </div>
  );
}
