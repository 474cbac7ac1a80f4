import { complaintPageSize, listComplaints } from '../../../../complaints/complaints.ts';
import { T } from '../../../../language/sentence.tsx';
import { t } from '../../../../language/text.ts';
import { notFound } from '../../../../platform/failure.ts';
import type { ConsoleApp } from '../../../console-app.ts';
import { pageUrl } from '../../../links.ts';
import type { Pages } from '../../../page.ts';
import { Empty } from '../../../parts/notice.tsx';
import { OffsetPager } from '../../../parts/pager.tsx';
import { Table } from '../../../parts/table.tsx';
import { Time } from '../../../parts/time.tsx';

const here = '/operator/complaints';

/** Emails that their recipients reported as spam. */
export function complaintPages(pages: Pages, app: ConsoleApp): void {
  pages.add(here, {
    who: 'operator',
    menu: 'Complaints',
    async show({ query, visitor }) {
      const request = query('page') || '1';
      if (!/^\d{1,6}$/.test(request)) throw notFound();
      const page = Number(request);
      const { complaints, total } = await listComplaints(app, page);
      const now = app.clock.now();
      return {
        title: t('Complaints'),
        lead: (
          <T>
            Recipients marked these emails as spam. If there are too many, providers may stop delivering your email.{' '}
            <a href={pageUrl('/operator/can-we-send')}>See whether you can send</a>, or{' '}
            <a href={pageUrl('/operator/guard')}>which services have too many bounces</a>.
          </T>
        ),
        content:
          total === 0 ? (
            <Empty title={t('No complaints yet')}>
              {t('Complaints will appear here when an email provider reports them.')}
            </Empty>
          ) : (
            <div class="stack">
              <Table
                caption={t('Complaints, newest first')}
                rows={complaints}
                keyOf={({ id }) => id}
                columns={[
                  {
                    head: t('Service'),
                    cell: ({ service_id, service_name }) => (
                      <a href={pageUrl(`/operator/services/${service_id}`)} dir="auto">
                        {service_name}
                      </a>
                    ),
                  },
                  {
                    head: t('Kind'),
                    cell: ({ complaint_type }) =>
                      complaint_type === null ? t('Not given') : <code>{complaint_type}</code>,
                  },
                  {
                    head: t('Complained'),
                    cell: ({ complaint_date, created_at }) => <Time at={complaint_date ?? created_at} now={now} />,
                  },
                  {
                    head: t('Email'),
                    cell: ({ service_id, service_name, notification_id }) =>
                      visitor.user.platform_admin ? (
                        <a href={pageUrl(`/services/${service_id}/messages/${notification_id}`)}>
                          <T>
                            Open<span class="sr"> the email of {{ serviceName: service_name }}</span>
                          </T>
                        </a>
                      ) : (
                        <code>{notification_id}</code>
                      ),
                  },
                ]}
              />
              <OffsetPager
                page={page}
                total={total}
                size={complaintPageSize}
                to={(other) => pageUrl(`${here}?page=${other}`)}
                byTime
                always
              />
            </div>
          ),
      };
    },
  });
}
