import type { ComponentChildren } from 'preact';

interface Row {
  label: string;
  value: ComponentChildren;
  /** The page that changes it, below /console. */
  change?: string;
}

/** Settings with their values; each leads to a page that changes it. */
export function Summary({ rows }: { rows: readonly Row[] }) {
  return (
    <dl class="summary">
      {rows.map(({ label, value, change }) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{value}</dd>
          <dd>
            {change && (
              <a href={`/console${change}`}>
                Change<span class="sr"> {label.toLowerCase()}</span>
              </a>
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}
