import { T } from '../../../../language/sentence.tsx';
import { t } from '../../../../language/text.ts';
import { type GuardGroup, listGuarded } from '../../../../notifications/guard/guard.ts';
import type { ConsoleApp } from '../../../console-app.ts';
import { pageUrl, withQuery } from '../../../links.ts';
import type { Pages } from '../../../page.ts';
import { Empty, Notice } from '../../../parts/notice.tsx';
import { OffsetPager, pageNumber, pageSize } from '../../../parts/pager.tsx';
import { Status } from '../../../parts/status.tsx';
import { Table } from '../../../parts/table.tsx';
import { Segments } from '../../../parts/tabs.tsx';
import { Time } from '../../../parts/time.tsx';
import { guardPath, whatHappened } from '../../settings/guard-notice.tsx';

const path = '/operator/guard';
type Guarded = Awaited<ReturnType<typeof listGuarded>>['services'][number];

const groups: Record<GuardGroup, string> = { paused: t('Paused'), warned: t('Warned'), exempt: t('Exempt') };

/** Services whose emails bounce or are reported as spam too often, and those that the guard does not pause. */
export function guardedPages(pages: Pages, app: ConsoleApp): void {
  pages.add(path, {
    who: 'operator',
    below: 'Complaints',
    async show({ query, visitor }) {
      const [group] = (Object.keys(groups) as GuardGroup[]).filter((one) => one === query('state'));
      const page = pageNumber(query('page'));
      const { services, total } = await listGuarded(app, { group, skip: (page - 1) * pageSize, limit: pageSize });
      const now = app.clock.now();
      const to = (state: GuardGroup | undefined, number?: number) => pageUrl(withQuery(path, { state, page: number }));
      return {
        title: t('Bounces and complaints'),
        lead: t(
          'Services whose emails bounce or are reported as spam too often, and those that are exempt from pauses.',
        ),
        crumbs: [{ label: t('Complaints'), to: '/operator/complaints' }],
        content: (
          <div class="stack">
            {app.config.guard.mode !== 'on' && <Mode mode={app.config.guard.mode} />}
            <div>
              <Segments
                name={t('State')}
                tabs={[
                  { label: t('All'), to: to(undefined), isCurrent: group === undefined },
                  ...(Object.keys(groups) as GuardGroup[]).map((one) => ({
                    label: groups[one],
                    to: to(one),
                    isCurrent: one === group,
                  })),
                ]}
              />
            </div>
            {services.length === 0 ? (
              <Empty title={t('No services')}>{t('No service has too many bounces or complaints.')}</Empty>
            ) : (
              <Services services={services} now={now} maySee={visitor.user.platform_admin} />
            )}
            <OffsetPager page={page} total={total} to={(number) => to(group, number)} />
          </div>
        ),
      };
    },
  });
}

function Mode({ mode }: { mode: 'warn' | 'off' }) {
  return (
    <Notice>
      {mode === 'warn'
        ? t('GUARD is “warn”: we warn teams, but pause no service.')
        : t('GUARD is “off”: we neither warn teams nor pause services.')}
    </Notice>
  );
}

/** Only platform administrators can open the settings of a service. */
function Services({ services, now, maySee }: { services: readonly Guarded[]; now: Date; maySee: boolean }) {
  return (
    <Table
      caption={t('Services, paused ones first')}
      rows={services}
      keyOf={({ service_id }) => service_id}
      columns={[
        {
          head: t('Service'),
          cell: ({ service_id: id, name }) => (
            <a href={pageUrl(maySee ? guardPath({ id }) : `/operator/services/${id}`)} dir="auto">
              {name}
            </a>
          ),
        },
        {
          head: t('State'),
          cell: ({ state, exempt_until }) => (
            <>
              <Status {...states[state]} />
              {exempt_until && (
                <small>
                  <T>
                    Not paused until <Time at={exempt_until} now={now} />
                  </T>
                </small>
              )}
            </>
          ),
        },
        {
          head: t('Why'),
          cell: ({ because, rate }) => because !== null && whatHappened({ because, rate: rate ?? '' }),
        },
        { head: t('Since'), cell: ({ since }) => <Time at={since} now={now} /> },
      ]}
    />
  );
}

const states = {
  ok: { kind: 'delivered', children: t('OK', { context: 'not wrong' }) },
  warned: { kind: 'sending', children: t('Warned') },
  paused: { kind: 'failed', children: t('Paused') },
} as const;
