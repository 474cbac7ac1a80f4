import type { ComponentChildren } from 'preact';

interface Tab {
  label: ComponentChildren;
  to: string;
  isCurrent: boolean;
}

/** Links, not ARIA tabs: each has its own address and works without script. */
export function Tabs({ name, tabs }: { name: string; tabs: readonly Tab[] }) {
  return <Links name={name} tabs={tabs} look="tabs" />;
}

/** The smaller form, for switching between views of one thing. */
export function Segments({ name, tabs }: { name: string; tabs: readonly Tab[] }) {
  return <Links name={name} tabs={tabs} look="segments" />;
}

function Links({ name, tabs, look }: { name: string; tabs: readonly Tab[]; look: 'tabs' | 'segments' }) {
  return (
    <nav class={look} aria-label={name}>
      {tabs.map(({ label, to, isCurrent }) => (
        <a key={to} href={to} aria-current={isCurrent ? 'page' : undefined}>
          {label}
        </a>
      ))}
    </nav>
  );
}
