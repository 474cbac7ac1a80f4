import { Type } from 'typebox';
import { T } from '../../../../language/sentence.tsx';
import { asIs, t } from '../../../../language/text.ts';
import { getOrganisation } from '../../../../organisations/organisations.ts';
import { channels } from '../../../../protocol/channels.ts';
import { listServiceMembers } from '../../../../services/members/service-members.ts';
import { isSuspended } from '../../../../services/service-fields.ts';
import { getRecentStatistics } from '../../../../services/service-statistics.ts';
import { updateService } from '../../../../services/service-update.ts';
import type { Service } from '../../../../services/services.ts';
import { listUserRecords } from '../../../../users/user-record.ts';
import { reachable } from '../../../access/find-page.ts';
import type { ConsoleApp } from '../../../console-app.ts';
import { pageUrl } from '../../../links.ts';
import { channelLabels } from '../../../message-labels.ts';
import { count } from '../../../money.ts';
import type { Pages } from '../../../page.ts';
import { ButtonLink, SaveForm } from '../../../parts/form.tsx';
import { Notice } from '../../../parts/notice.tsx';
import { Summary } from '../../../parts/table.tsx';
import { Time } from '../../../parts/time.tsx';
import { operator } from '../../settings/service-setting.ts';
import { ServiceBadge } from './services.pages.tsx';

/** One service as the operator sees it: its state, figures, and what can be changed. */
export function operatorServicePage(pages: Pages, app: ConsoleApp): void {
  pages.add('/operator/services/:service_id', {
    who: { ...operator, readOnlyOperators: true },
    below: 'Services',
    async show({ service, visitor }) {
      const now = app.clock.now();
      const [week, members, [creator], organisation] = await Promise.all([
        getRecentStatistics(app, service.id, { today_only: false }),
        listServiceMembers(app.db, service.id),
        listUserRecords(app.db, [service.created_by]),
        service.organisation === null ? undefined : getOrganisation(app.db, service.organisation),
      ]);
      const home = `/services/${service.id}`;
      const settingPath = (path: string) => `${home}/settings/operator/${path}`;
      const canChange = (path: string) =>
        service.active && reachable(pages.all, visitor.user, settingPath(path), service) !== undefined;
      const setting = (path: string) => (canChange(path) ? { change: settingPath(path) } : {});
      const suspended = isSuspended(service);
      const step = !canChange('channels')
        ? undefined
        : suspended
          ? { label: t('Resume'), to: settingPath('channels') }
          : { label: t('Suspend'), to: `/operator/services/${service.id}/suspend` };
      const archive = reachable(pages.all, visitor.user, `${home}/settings/archive`, service);
      const sent = ({ requested, failed }: { requested: number; failed: number }) =>
        `${count(requested)}${failed > 0 ? `, ${count(failed)} failed` : ''}`;
      return {
        title: asIs(service.name),
        crumbs: [{ label: t('Services'), to: '/operator/services' }],
        actions: (
          <>
            <ServiceBadge {...service} suspended={suspended} />
            {step && <ButtonLink to={step.to}>{step.label}</ButtonLink>}
          </>
        ),
        content: (
          <div class="stack">
            {service.active && service.restricted && service.has_active_go_live_request && (
              <Notice>
                <T>
                  This service wants to go live.{' '}
                  <a href={pageUrl(`${home}/make-service-live`)}>Decide about the request</a>
                </T>
              </Notice>
            )}
            <section class="card" aria-labelledby="about">
              <div class="card-head">
                <h2 id="about">{t('About the service')}</h2>
                <a class="small" href={pageUrl(`${home}/settings`)}>
                  {t('All settings')}
                </a>
              </div>
              <Summary
                rows={[
                  { label: t('Live'), value: service.restricted ? t('No: trial mode') : t('Yes'), ...setting('mode') },
                  {
                    label: t('Live since'),
                    value: liveSince(service, now),
                  },
                  {
                    label: t('Organisation'),
                    value: organisation ? (
                      <a href={pageUrl(`/organisations/${organisation.id}`)} dir="auto">
                        {organisation.name}
                      </a>
                    ) : (
                      t('None', { context: 'no organisation' })
                    ),
                    ...setting('organisation'),
                  },
                  {
                    label: t('Channels'),
                    value:
                      channels
                        .filter((channel) => service.permissions.includes(channel))
                        .map((channel) => channelLabels[channel].names)
                        .join(', ') || t('None. The service is suspended, so its new messages are refused.'),
                    ...setting('channels'),
                  },
                  {
                    label: t('Counted as live'),
                    value: service.count_as_live ? t('Yes') : t('No'),
                    ...setting('counted'),
                  },
                  {
                    label: t('Created'),
                    value: (
                      <>
                        <Time at={service.created_at} now={now} />{' '}
                        {creator && (
                          <span dir="auto">
                            <T>by {{ name: creator.name }}</T>
                          </span>
                        )}
                      </>
                    ),
                  },
                  {
                    label: t('Notes'),
                    value: <span dir="auto">{service.notes ?? t('None')}</span>,
                    ...setting('notes'),
                  },
                ]}
              />
            </section>
            <section class="card" aria-labelledby="week">
              <div class="card-head">
                <h2 id="week">{t('Last 7 days')}</h2>
                <a class="small" href={pageUrl(home)}>
                  {t('Open the service')}
                </a>
              </div>
              <dl class="facts">
                <dt>{t('Emails')}</dt>
                <dd>{sent(week.email)}</dd>
                <dt>{t('Texts')}</dt>
                <dd>{sent(week.sms)}</dd>
                <dt>{t('Letters')}</dt>
                <dd>{sent(week.letter)}</dd>
                <dt>{t('Team')}</dt>
                <dd>
                  <a href={pageUrl(`${home}/team`)}>
                    {t('{count, plural, one {# member} other {# members}}', { count: members.length })}
                  </a>
                </dd>
              </dl>
            </section>
            {service.active && archive && (
              <p>
                <a href={archive}>{t('Archive this service')}</a>
              </p>
            )}
          </div>
        ),
      };
    },
  });
}

/** A suspended service has no channels. To resume it, the operator chooses the channels to restore. */
export function suspendServicePage(pages: Pages, app: ConsoleApp): void {
  pages.add('/operator/services/:service_id/suspend', {
    who: operator,
    below: 'Services',
    show: ({ service }) => ({
      title: t('Suspend {name}?', { name: service.name }),
      crumbs: [
        { label: t('Services'), to: '/operator/services' },
        { label: asIs(service.name), to: `/operator/services/${service.id}` },
      ],
      content: (
        <SaveForm back={`/operator/services/${service.id}`} action={t('Suspend')} danger>
          <p>
            {t(
              'All channels of the service are switched off. Its new messages are refused. Messages that were accepted are still sent. Its team can still sign in.',
            )}
          </p>
          <p>{t('To resume the service, choose the channels that it can use again.')}</p>
        </SaveForm>
      ),
    }),
    form: Type.Object({}),
    async act({ service }) {
      const permissions = service.permissions.filter((name) => !channels.some((channel) => channel === name));
      await updateService(app, service.id, { permissions });
      return { to: `/operator/services/${service.id}`, notice: t('Service suspended.') };
    },
  });
}

function liveSince({ go_live_at, restricted }: Service, now: Date) {
  if (go_live_at) return <Time at={go_live_at} now={now} />;
  return restricted ? t('Not live') : t('Not recorded');
}
