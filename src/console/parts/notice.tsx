import type { ComponentChildren } from 'preact';
import { T } from '../../language/sentence.tsx';
import { type Text, t } from '../../language/text.ts';
import { Icon, type IconName } from '../layout/icon.tsx';
import { pageUrl } from '../links.ts';
import type { FormState } from '../page.ts';

type Tone = 'blue' | 'green' | 'amber' | 'red';

const icons: Record<Tone, IconName> = { blue: 'info', green: 'check', amber: 'warning', red: 'failed' };

export function Notice({ tone = 'blue', children }: { tone?: Tone; children: ComponentChildren }) {
  return (
    <div class={`notice tone-${tone}`} role={tone === 'green' ? 'status' : undefined}>
      <Icon name={icons[tone]} />
      <div>{children}</div>
    </div>
  );
}

/** Gets the focus when the page is shown again, so that a screen reader starts with the problems. */
export function ErrorSummary({ problems }: Pick<FormState, 'problems'>) {
  if (problems.size === 0) return null;
  return (
    <div class="error-summary" role="alert" tabIndex={-1} autofocus aria-labelledby="error-summary-title">
      <h2 id="error-summary-title">{t('There is a problem')}</h2>
      <ul>
        {[...problems].map(([name, text]) => (
          <li key={name}>{name === '' ? text : <a href={`#${name}`}>{text}</a>}</li>
        ))}
      </ul>
    </div>
  );
}

/** Shown where amounts are missing, only to people who can add prices. */
export function NoPrices({ visitor }: { visitor: { user: { platform_admin: boolean } } }) {
  if (!visitor.user.platform_admin) return null;
  return (
    <Notice>
      <T>
        No prices yet. <a href={pageUrl('/operator/rates')}>Add a rate</a>.
      </T>
    </Notice>
  );
}

interface EmptyProps {
  title: Text;
  children: ComponentChildren;
  /** A link to the next step, for people who can use it. */
  action?: ComponentChildren;
}

/** Shown instead of an empty list: what would be in it, and how to add it. */
export function Empty({ title, children, action }: EmptyProps) {
  return (
    <div class="empty">
      <h2>{title}</h2>
      <p>{children}</p>
      {action && <div class="row">{action}</div>}
    </div>
  );
}
