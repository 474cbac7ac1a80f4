import type { ComponentChildren } from 'preact';
import { Icon } from '../layout/icon.tsx';

interface PagerProps {
  /** Such as "1 to 50 of 15,803". */
  shown: string;
  newer: string | undefined;
  older: string | undefined;
  /** Of lists that are not ordered by time. */
  words?: [newer: string, older: string];
}

/** Links to the neighbouring pages of a list. One that leads nowhere is shown as such. */
export function Pager({ shown, newer, older, words = ['Newer', 'Older'] }: PagerProps) {
  return (
    <nav class="pages" aria-label="Pages">
      <span>{shown}</span>
      <span class="row">
        <Step to={newer} rel="prev">
          <Icon name="left" small />
          {words[0]}
        </Step>
        <Step to={older} rel="next">
          {words[1]}
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
