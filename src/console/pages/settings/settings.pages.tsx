import { T } from '../../../language/sentence.tsx';
import { t } from '../../../language/text.ts';
import { may } from '../../access/may.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { pageUrl } from '../../links.ts';
import type { Pages } from '../../page.ts';
import { Notice } from '../../parts/notice.tsx';
import { Stamp, Status } from '../../parts/status.tsx';
import { Summary } from '../../parts/table.tsx';
import { readChecklist } from '../going-live/checklist.ts';
import { readSettings } from './read-settings.tsx';
import { operator, settingsOf, team } from './service-setting.ts';

/** All settings with their values; those who manage the service can change them. */
export function settingsPages(pages: Pages, app: ConsoleApp): void {
  pages.add('/services/:service_id/settings', {
    who: { service: ['manage', 'api'], readOnlyOperators: true },
    menu: 'Settings',
    async show({ service, visitor }) {
      const mayManage = may(team, visitor.user, service) === 'yes';
      const mayOperate = may(operator, visitor.user, service) === 'yes';
      const seesOperators = mayOperate || visitor.user.read_only_operator;
      const groups = (await readSettings(app, service)).filter(({ of }) => of !== 'operator' || seesOperators);
      const steps = service.restricted ? await readChecklist(app, service) : [];
      return {
        title: t('Settings'),
        lead: mayManage ? undefined : t('To change a setting, ask a person who manages the service.'),
        content: (
          <div class="stack">
            {service.restricted && (
              <Notice tone="amber">
                <T>
                  <b>This service is in trial mode.</b> You can only send messages to your team and your guest list.
                </T>{' '}
                {mayManage && (
                  <a href={pageUrl(`/services/${service.id}/going-live`)}>
                    {service.has_active_go_live_request
                      ? t('You have asked to go live')
                      : t('Ask to go live: {done} of {all} steps done', {
                          done: steps.filter(({ isDone }) => isDone).length,
                          all: steps.length,
                        })}
                  </a>
                )}
              </Notice>
            )}
            {groups.map(({ of, title, stamp, isOn, rows }) => (
              <section key={of} class="card" aria-labelledby={`of-${of}`}>
                <div class="card-head">
                  {stamp && <Stamp channel={stamp} />}
                  <h2 id={`of-${of}`}>{title}</h2>
                  {isOn !== undefined && (
                    <Status kind={isOn ? 'delivered' : 'cancelled'}>{isOn ? t('On') : t('Off')}</Status>
                  )}
                </div>
                <Summary
                  rows={rows.map(({ label, value, path, who = team }) => ({
                    label,
                    value,
                    ...(path !== undefined && may(who, visitor.user, service) === 'yes'
                      ? { change: `${settingsOf(service)}/${path}` }
                      : {}),
                  }))}
                />
              </section>
            ))}
            {mayManage && (
              <p class="row">
                <a href={pageUrl(`/services/${service.id}/recipients`)}>{t('Data about one person')}</a>
                <a href={pageUrl(`${settingsOf(service)}/email/can-we-send`)}>{t('Can we send emails?')}</a>
                <a href={pageUrl(`${settingsOf(service)}/archive`)}>{t('Archive this service')}</a>
              </p>
            )}
          </div>
        ),
      };
    },
  });
}
