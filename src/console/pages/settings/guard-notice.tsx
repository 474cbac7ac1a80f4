import { type Text, t } from '../../../language/text.ts';
import type { GuardPause } from '../../../notifications/guard/guard.ts';
import { hour_ms } from '../../../platform/clock.ts';
import type { Service } from '../../../services/services.ts';
import { may } from '../../access/may.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { pageUrl } from '../../links.ts';
import { Notice } from '../../parts/notice.tsx';
import type { Visitor } from '../../sessions/sessions.ts';
import { settingsOf, team } from './service-setting.ts';

/** The page that says why sending to many is paused, and lifts the pause. */
export function guardPath(service: { id: string }): string {
  return `${settingsOf(service)}/email/guard`;
}

/** What was measured. */
export function whatHappened({ because, rate }: GuardPause): Text {
  return because === 'complaints'
    ? t('{rate}% of the emails of 7 days were reported as spam.', { rate })
    : t('{rate}% of the emails of 24 hours bounced.', { rate });
}

/** What was measured, and why. */
export function whatToDo({ because, rate }: GuardPause): Text {
  return because === 'complaints'
    ? t(
        '{rate}% of the emails of the last 7 days were reported as spam. Send only to people who asked for your emails.',
        { rate },
      )
    : t('{rate}% of the emails of the last 24 hours bounced: your list has addresses that do not exist.', { rate });
}

/** On the pages from which people send: nothing unless sending to many is paused. */
export async function guardNotice(app: ConsoleApp, service: Service, visitor: Visitor) {
  const found = await app.sending.services.find(service.id);
  if (!found?.guard || app.config.guard.mode !== 'on') return undefined;
  return (
    <Notice tone="red">
      <b>{t('Sending to many is paused.')}</b> {whatToDo(found.guard)} {wayOut(service, visitor)}
    </Notice>
  );
}

/** On the page of a file whose messages wait. */
export function waitingForGuard({ config }: ConsoleApp, service: Service, visitor: Visitor) {
  return (
    <Notice tone="amber">
      <b>{t('Waiting: sending to many is paused')}</b>
      <p>
        {t(
          'Sending goes on once the pause is lifted. A message that waits longer than {hours, plural, one {# hour} other {# hours}} fails.',
          { hours: config.delivery.expiry_ms / hour_ms },
        )}{' '}
        {wayOut(service, visitor)}
      </p>
    </Notice>
  );
}

function wayOut(service: Service, { user }: Visitor) {
  return may(team, user, service) === 'yes' ? (
    <a href={pageUrl(guardPath(service))}>{t('Clean your list, then lift the pause')}</a>
  ) : (
    t('Ask a person who manages the service to lift the pause.')
  );
}
