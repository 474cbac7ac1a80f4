import type { Money } from '../../../countries/money.ts';
import { T } from '../../../language/sentence.tsx';
import { formatted, t } from '../../../language/text.ts';
import type { Delay } from '../../../operations/overview/delays.ts';
import type { Channel } from '../../../protocol/channels.ts';
import { Icon } from '../../layout/icon.tsx';
import { channelLabels, shownChannels } from '../../message-labels.ts';
import { count } from '../../money.ts';
import { Chart, Meter } from '../../parts/chart.tsx';
import { Stamp, Status } from '../../parts/status.tsx';
import { Time, ZoneName } from '../../parts/time.tsx';
import type { Viewer } from '../../viewer.ts';
import { listAttentionItems, percent, shareFailed, tooManyFailures } from './attention.ts';
import { Delays } from './delays.tsx';
import type { Figures } from './figures.ts';

interface HomeProps {
  figures: Figures;
  delays: readonly Delay[];
  viewer: Viewer;
  service: { id: string; restricted: boolean };
  /** Returns the URL of a page of the service if the visitor can open it. */
  link(path: string): string | undefined;
  money: Money;
  now: Date;
}

/** The content of Home, which is also the fragment that the page polls. */
export function Home(props: HomeProps) {
  const { link } = props;
  const months = link('/months');
  return (
    <div class="stack stack--loose">
      <Delays {...props} />
      <AttentionItems {...props} />
      <section class="stack" aria-labelledby="week">
        <div class="row">
          <h2 id="week">{t('Last 7 days')}</h2>
          {months && (
            <a class="small" href={months}>
              {t('By month')}
            </a>
          )}
          <Legend />
        </div>
        <div class="cols even">
          {shownChannels.map((channel) => (
            <ChannelCard key={channel} channel={channel} {...props} />
          ))}
        </div>
      </section>
      <Stats {...props} />
      <div class="cols cols--wide even">
        <Templates {...props} />
        <Files {...props} />
      </div>
      <p class="small muted">
        <T>
          Times are <ZoneName />.
        </T>
      </p>
    </div>
  );
}

function AttentionItems({ figures, service, link }: HomeProps) {
  const items = listAttentionItems(figures, service);
  if (items.length === 0) return null;
  return (
    <section class="card attention" aria-labelledby="attention">
      <div class="card-head">
        <h2 id="attention">{t('Needs your attention')}</h2>
      </div>
      <ul class="list">
        {items.map(({ tone, what, more, to }) => {
          const address = to && link(to.path);
          return (
            <li key={what}>
              <span class={`status status--${tone}`}>
                <Icon name={tone === 'failed' ? 'failed' : 'warning'} />
                <b>{what}</b>
              </span>
              <span class="muted">{more}</span>
              {address && <a href={address}>{to.label}</a>}
            </li>
          );
        })}
      </ul>
    </section>
  );
}

function Legend() {
  return (
    <ul class="legend row--end">
      <li>
        <svg class="chart" viewBox="0 0 12 12" aria-hidden="true">
          <rect class="bar" width="12" height="12" />
        </svg>
        {t('Sent')}
      </li>
      <li>
        <svg class="chart" viewBox="0 0 12 12" aria-hidden="true">
          <rect class="bar bar--bad" width="12" height="12" />
        </svg>
        {t('Failed')}
      </li>
      <li>
        <svg class="chart" viewBox="0 0 12 12" aria-hidden="true">
          <rect class="bar bar--now" x="0.5" y="0.5" width="11" height="11" />
        </svg>
        {t('Today so far')}
      </li>
    </ul>
  );
}

const shortWeekday = (day: string) => formatted(({ dates }) => dates.write(day, { weekday: 'short' }));

function ChannelCard({ channel, figures, link }: HomeProps & { channel: Channel }) {
  const { requested, delivered, failed } = figures.week[channel];
  const sending = requested - delivered - failed;
  const share = shareFailed(figures.week[channel]);
  const messages = link(`/messages?channel=${channel}`);
  const bars = figures.days.map(({ day, counts }, index) => ({
    label: index === figures.days.length - 1 ? t('Today') : shortWeekday(day),
    good: counts[channel].requested - counts[channel].failed,
    bad: counts[channel].failed,
    ...(index === figures.days.length - 1 ? { isOpen: true as const } : {}),
  }));
  return (
    <section class="card stack stack--tight" aria-labelledby={`of-${channel}`}>
      <div class="row">
        <Stamp channel={channelLabels[channel].stamp} large />
        <div>
          <h3 id={`of-${channel}`}>
            {messages ? <a href={messages}>{channelLabels[channel].name}</a> : channelLabels[channel].name}
          </h3>
          <p class="figure-big">{count(requested)}</p>
        </div>
      </div>
      <p class="row small">
        {requested === 0 ? (
          <span class="muted">{t('None this week')}</span>
        ) : delivered + failed === 0 ? (
          <Status kind="sending">{t('{count, number} on the way', { count: sending })}</Status>
        ) : channel === 'letter' ? (
          <>
            <Status kind="delivered">{t('{count, number} posted', { count: delivered })}</Status>
            <Status kind="sending">{t('{count, number} on the way', { count: sending })}</Status>
            {failed > 0 && <Status kind="failed">{t('{count, number} failed', { count: failed })}</Status>}
          </>
        ) : (
          <>
            <Status kind="delivered">{t('{share} delivered', { share: percent(delivered / requested) })}</Status>
            {share > tooManyFailures ? (
              <Status kind="failed">{t('{share} failed', { share: percent(share) })}</Status>
            ) : (
              <span class="muted">
                <T>{{ share: percent(share) }} failed</T>
              </span>
            )}
          </>
        )}
      </p>
      <Chart
        title={t(
          '{channel, select, email {Emails in the last 7 days: {requested, number}, {failed, number} of them failed} sms {Texts in the last 7 days: {requested, number}, {failed, number} of them failed} other {Letters in the last 7 days: {requested, number}, {failed, number} of them failed}}',
          { channel, requested, failed },
        )}
        names={{ good: t('Sent'), bad: t('Failed') }}
        bars={bars}
      />
    </section>
  );
}

function Stats({ figures, money, link, now }: HomeProps) {
  const { inbox, unsubscribes, returned, cost, parts, freeUsed, free } = figures;
  const latest = unsubscribes.datetime_of_latest_unsubscribe_request;
  return (
    <dl class="stats">
      <div>
        <dt>
          <MaybeLink to={link('/received')}>{t('Texts received')}</MaybeLink>
        </dt>
        <dd class="figure-mid">{count(Number(inbox.count))}</dd>
        <dd>{inbox.most_recent ? <Newest at={inbox.most_recent} now={now} /> : t('none this week')}</dd>
      </div>
      <div>
        <dt>
          <MaybeLink to={link('/unsubscribe-requests')}>{t('Unsubscribed')}</MaybeLink>
        </dt>
        <dd class="figure-mid">{count(Number(unsubscribes.unsubscribe_requests_count ?? 0))}</dd>
        <dd>{latest ? <Newest at={latest} now={now} /> : t('none this week')}</dd>
      </div>
      <div>
        <dt>
          <MaybeLink to={link('/returned-letters')}>{t('Letters returned')}</MaybeLink>
        </dt>
        <dd class="figure-mid">{count(returned.returned_letter_count)}</dd>
        <dd>{returned.returned_letter_count > 0 ? t('this week') : t('none this week')}</dd>
      </div>
      <div>
        <dt>
          <MaybeLink to={link('/usage')}>
            {cost === undefined ? t('Parts of texts this year') : t('Spent this year')}
          </MaybeLink>
        </dt>
        <dd class="figure-mid">{cost === undefined ? count(parts) : money.total(cost)}</dd>
        {free !== undefined && (
          <dd>
            <T>
              {{ freeUsed: count(freeUsed) }} of {{ free: count(free) }} free texts
            </T>
          </dd>
        )}
      </div>
    </dl>
  );
}

function Newest({ at, now }: { at: string; now: Date }) {
  return (
    <T>
      newest <Time at={at} now={now} />
    </T>
  );
}

function MaybeLink({ to, children }: { to: string | undefined; children: string }) {
  return to ? <a href={to}>{children}</a> : <span>{children}</span>;
}

function Templates({ figures: { templates }, link }: HomeProps) {
  const all = link('/templates');
  const most = templates[0]?.count ?? 1;
  return (
    <section class="card" aria-labelledby="most-used">
      <div class="card-head">
        <h2 id="most-used">{t('Most used templates')}</h2>
        {all && (
          <a class="small" href={all}>
            {t('All templates')}
          </a>
        )}
      </div>
      {templates.length === 0 ? (
        <p class="muted">{t('No messages were sent in the last 7 days.')}</p>
      ) : (
        <ul class="bars">
          {templates.map(({ id, name, count: used }) => (
            <li key={id}>
              <MaybeLink to={link(`/templates/${id}`)}>{name}</MaybeLink>
              <span class="num">{count(used)}</span>
              <Meter share={used / most} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function Files({ figures: { files }, link, now }: HomeProps) {
  const all = link('/files');
  return (
    <section class="card" aria-labelledby="files">
      <div class="card-head">
        <h2 id="files">{t('Files')}</h2>
        {all && (
          <a class="small" href={all}>
            {t('All files')}
          </a>
        )}
      </div>
      {files.length === 0 ? (
        <p class="muted">{t('No files are being sent or scheduled.')}</p>
      ) : (
        <ul class="list">
          {files.map((file) => (
            <li key={file.id}>
              <Icon name={file.scheduled_for && file.job_status === 'scheduled' ? 'clock' : 'file'} />
              <MaybeLink to={link(`/files/${file.id}`)}>{file.original_file_name}</MaybeLink>
              <span class="muted">
                {file.job_status === 'scheduled'
                  ? t(
                      '{channel, select, email {{all, number} emails} sms {{all, number} texts} other {{all, number} letters}}',
                      { channel: file.template_type, all: file.notification_count },
                    )
                  : t(
                      '{channel, select, email {{done, number} of {all, number} emails} sms {{done, number} of {all, number} texts} other {{done, number} of {all, number} letters}}',
                      { channel: file.template_type, done: file.rows_done, all: file.notification_count },
                    )}
              </span>
              <span class="nowrap">
                {file.scheduled_for && file.job_status === 'scheduled' ? (
                  <Time at={file.scheduled_for} now={now} />
                ) : (
                  t('being sent')
                )}
              </span>
              {file.job_status !== 'scheduled' && (
                <Meter share={file.rows_done / Math.max(1, file.notification_count)} />
              )}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
