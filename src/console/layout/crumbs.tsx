export interface Crumb {
  label: string;
  /** Below /console. */
  to: string;
}

export function Crumbs({ crumbs }: { crumbs: Crumb[] }) {
  return (
    <nav class="crumbs" aria-label="Breadcrumb">
      <ol>
        {crumbs.map(({ label, to }) => (
          <li key={to}>
            <a href={`/console${to}`}>{label}</a>
          </li>
        ))}
      </ol>
    </nav>
  );
}
