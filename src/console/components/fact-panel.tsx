// Panels of facts by their names.
import type { ComponentChildren } from 'preact';

export function FactPanel({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <section class="panel">
      <h2>{title}</h2>
      <dl>{children}</dl>
    </section>
  );
}

export function Fact({ name, isBad = false, children }: { name: string; isBad?: boolean; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd class={isBad ? 'bad' : undefined}>{children}</dd>
    </div>
  );
}
