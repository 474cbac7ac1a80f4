import { t } from '../../language/text.ts';
import { pageUrl } from '../links.ts';
import type { Crumb, FormState, View } from '../page.ts';
import { ErrorSummary, Notice } from '../parts/notice.tsx';
import { inOwnDirection } from '../parts/text.tsx';
import { Icon, Wordmark } from './icon.tsx';
import type { ShownMenu } from './menus.ts';

interface ShellProps {
  view: View;
  formState: FormState;
  notice: string | undefined;
  menus: ShownMenu[];
  service: { id: string; name: string; restricted: boolean } | undefined;
  /** Whether the page is about a service that is suspended. */
  isSuspended: boolean;
  userName: string;
}

/** The layout for people who are signed in: top bar, menus, and the page. */
export function Shell({ view, formState, notice, menus, service, isSuspended, userName }: ShellProps) {
  const current = menus.flatMap(({ entries }) => entries).find(({ isCurrent }) => isCurrent);
  return (
    <>
      <a class="skip" href="#main">
        {t('Skip to main content')}
      </a>
      <div class="shell">
        <TopBar service={service} userName={userName} />
        <details class="nav">
          <summary>
            {t('Menu')} {current && <span class="muted small">{current.label}</span>}
            <Icon name="chevron" />
          </summary>
          {menus.map(({ of, name, heading, entries }) => (
            <nav key={of} {...(heading ? { 'aria-labelledby': `menu-${of}` } : { 'aria-label': name })}>
              {heading && <p id={`menu-${of}`}>{heading}</p>}
              <ul>
                {entries.map(({ label, to, isCurrent }) => (
                  <li key={to}>
                    <a href={to} aria-current={isCurrent ? 'page' : undefined}>
                      {label}
                    </a>
                  </li>
                ))}
              </ul>
            </nav>
          ))}
        </details>
        <main class="main" id="main">
          {view.crumbs && <Crumbs crumbs={view.crumbs} />}
          <div class="stack">
            {isSuspended && <Suspended />}
            {notice && <Notice tone="green">{notice}</Notice>}
            <ErrorSummary problems={formState.problems} />
          </div>
          <div class="page-head">
            <div class="stack stack--tight">
              <h1>{inOwnDirection(view.title)}</h1>
              {view.lead && <p class="muted">{inOwnDirection(view.lead)}</p>}
            </div>
            {view.actions && <div class="row row--end">{view.actions}</div>}
          </div>
          {view.content}
        </main>
      </div>
    </>
  );
}

function Suspended() {
  return (
    <Notice tone="red">
      <b>{t('This service is suspended.')}</b>{' '}
      {t(
        'We refuse its new messages, and still send those that we have accepted. Ask the people who run this Pennypost to resume it.',
      )}
    </Notice>
  );
}

export function Crumbs({ crumbs }: { crumbs: Crumb[] }) {
  return (
    <nav class="crumbs" aria-label={t('Breadcrumb')}>
      <ol>
        {crumbs.map(({ label, to }) => (
          <li key={to}>
            <a href={pageUrl(to)}>{label}</a>
          </li>
        ))}
      </ol>
    </nav>
  );
}

function TopBar({ service, userName }: Pick<ShellProps, 'service' | 'userName'>) {
  return (
    <header class="topbar">
      <Wordmark />
      {service && (
        <details class="menu">
          <summary>
            <span dir="auto">{service.name}</span>
            <Icon name="chevron" small />
          </summary>
          <ul>
            <li>
              <a href={pageUrl(`/services/${service.id}`)} dir="auto">
                {service.name}
              </a>
            </li>
            <li>
              <a href={pageUrl('/services')}>{t('Your services')}</a>
            </li>
          </ul>
        </details>
      )}
      {service?.restricted && <span class="badge tone-amber">{t('Trial mode')}</span>}
      <FindAnything />
      <details class="menu menu--end">
        <summary>
          <Icon name="user" />
          <bdi>{userName.split(' ')[0]}</bdi>
          <Icon name="chevron" small />
        </summary>
        <ul>
          <li>
            <a href={pageUrl('/services')}>{t('Your services')}</a>
          </li>
          <li>
            <a href={pageUrl('/find')}>{t('Find')}</a>
          </li>
          <li>
            <a href={pageUrl('/account')}>{t('Your account')}</a>
          </li>
          <li>
            <a href={pageUrl('/account/theme')}>{t('Theme')}</a>
          </li>
          <li>
            <form method="post" action={pageUrl('/sign-out')}>
              <button type="submit">{t('Sign out')}</button>
            </form>
          </li>
        </ul>
      </details>
    </header>
  );
}

function FindAnything() {
  return (
    <search class="find" aria-label={t('Everything')}>
      <form method="post" action={pageUrl('/find')}>
        <label class="sr" for="find-anything">
          {t('Find a page, template, person or message')}
        </label>
        <Icon name="search" />
        <input
          class="input input--small"
          id="find-anything"
          name="find"
          type="search"
          placeholder={t('Find…')}
          autocomplete="off"
          data-find
        />
        <kbd class="only-wide" hidden>
          Ctrl K
        </kbd>
      </form>
    </search>
  );
}
