import type { ComponentChildren } from 'preact';
import { Icon } from '../layout/icon.tsx';

interface PagerProps {
  /** Such as "1 to 50 of 15,803". */
  shown: string;
  newer: string | undefined;
  older: string | undefined;
}

/** Links to the neighbouring pages of a list. One that leads nowhere is shown as such. */
export function Pager({ shown, newer, older }: PagerProps) {
  return (
    <nav class="pages" aria-label="Pages">
      <span>{shown}</span>
      <span class="row">
        <Step to={newer} rel="prev">
          <Icon name="left" small />
          Newer
        </Step>
        <Step to={older} rel="next">
          Older
          <Icon name="right" small />
        </Step>
      </span>
    </nav>
  );
}

function Step({ to, rel, children }: { to: string | undefined; rel: string; children: ComponentChildren }) {
  if (to === undefined) {
    return (
      <button class="button button--small" type="button" disabled>
        {children}
      </button>
    );
  }
  return (
    <a class="button button--small" href={to} rel={rel}>
      {children}
    </a>
  );
}
