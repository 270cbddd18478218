// Renders templates as Home Assistant does, by the library that it uses.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

export interface TemplateToRender {
  readonly template: string;
  /** `clock_ms`: what its clock shows, in epoch milliseconds. */
  readonly variables: Readonly<Record<string, unknown>>;
}

/** The texts, in order. Throws when a template is none, or asks for what is not there. */
export function render(templates: readonly TemplateToRender[]): readonly string[] {
  const script = join(import.meta.dirname, 'render_templates.py');
  const { status, stdout, stderr } = spawnSync('python3', [script], { input: JSON.stringify(templates), encoding: 'utf8' });
  if (status !== 0) throw new Error(`these tests need python3 with jinja2 (Debian: apt-get install python3-jinja2): ${stderr}`);
  return JSON.parse(stdout) as readonly string[];
}

/** What an entity shows for each message: the text of its value template. */
export function shown(template: unknown, messages: readonly object[]): readonly string[] {
  return render(messages.map((value_json) => ({ template: String(template), variables: { value_json } })));
}
