import { T } from '../../../../language/sentence.tsx';
import { type Text, t } from '../../../../language/text.ts';
import { maxCounted } from '../../../../notifications/queue/delivery-queue.ts';
import type { Overview } from '../../../../operations/overview/overview.ts';
import { type Problem, priorityLabel } from '../../../../operations/overview/verdict.ts';
import { minute_ms } from '../../../../platform/clock.ts';
import { Icon, type IconName } from '../../../layout/icon.tsx';
import { pageUrl } from '../../../links.ts';
import { channelLabels } from '../../../message-labels.ts';
import { count } from '../../../money.ts';
import { Meter } from '../../../parts/chart.tsx';
import { ClockTime, Time, ZoneName } from '../../../parts/time.tsx';
import { CallsChart, CallsLegend, type Link, Providers } from './providers.tsx';
import { SystemFacts } from './system.tsx';

interface OverviewProps {
  overview: Overview;
  link: Link;
}

/** Also the fragment that the page polls. */
export function OverviewContent(props: OverviewProps) {
  const { overview, link } = props;
  const system = link('/operator/system');
  return (
    <div class="stack stack--loose">
      <Verdict {...props} />
      <Stats {...props} />
      <div class="aside even">
        <section class="card" aria-labelledby="last-hour">
          <div class="card-head">
            <h2 id="last-hour">{t('Messages handed over, last hour')}</h2>
            <CallsLegend />
          </div>
          <CallsChart {...overview} />
        </section>
        <Waiting {...props} />
      </div>
      <Providers {...props} />
      {(overview.lanes.length > 0 || overview.retries.some(({ waiting }) => waiting > 0)) && <Queue {...props} />}
      <div class="cols cols--wide even">
        <Senders {...props} />
        <section class="card" aria-labelledby="system">
          <div class="card-head">
            <h2 id="system">{t('System')}</h2>
            {system && (
              <a class="small" href={system}>
                {t('All checks')}
              </a>
            )}
          </div>
          <SystemFacts overview={overview} />
        </section>
      </div>
      <p class="small muted">
        <T>
          As of <ClockTime at={overview.now.toISOString()} />, <ZoneName />.
        </T>
      </p>
    </div>
  );
}

function Stats({ overview }: OverviewProps) {
  const { periods, now, lanes, retries, late_letters, callbacks, accepted } = overview;
  const lastMinute = periods
    .filter(({ period_start }) => Date.parse(period_start) > now.getTime() - minute_ms)
    .reduce((sum, { handed_over }) => sum + handed_over, 0);
  const notDue = retries.reduce((sum, { not_due }) => sum + not_due, 0);
  const waiting = lanes.reduce((sum, lane) => sum + lane.waiting, notDue);
  const moments = [...lanes.map(({ oldest_due_at }) => oldest_due_at), ...retries.map(({ oldest_at }) => oldest_at)];
  const [oldest] = moments.filter((moment) => moment !== null).sort();
  return (
    <dl class="stats">
      <Figure value={accepted.today}>
        {accepted.per_minute === undefined
          ? t('accepted today')
          : t('accepted today, {count, number} a minute now', { count: accepted.per_minute })}
      </Figure>
      <Figure value={lastMinute}>{t('handed over in the last minute')}</Figure>
      <Figure value={waiting}>{oldest ? t('waiting, oldest {age}', { age: age(oldest, now) }) : t('waiting')}</Figure>
      <Figure value={late_letters.not_printed + late_letters.not_despatched}>{t('late letters')}</Figure>
      <Figure value={callbacks.waiting}>{t('callbacks waiting')}</Figure>
    </dl>
  );
}

function Figure({ value, children }: { value: number; children: Text }) {
  return (
    <div>
      <dt>{children}</dt>
      <dd class="figure-mid">{count(value)}</dd>
    </div>
  );
}

function age(since: string, now: Date): Text {
  const seconds = Math.max(0, Math.round((now.getTime() - Date.parse(since)) / 1_000));
  if (seconds < 120) return t('{seconds} s', { seconds });
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? t('{minutes} min', { minutes }) : t('{hours} h', { hours: Math.round(minutes / 60) });
}

function Waiting({ overview: { waiting }, link }: OverviewProps) {
  const all: { amount: number; icon: IconName; text: Text; label: Text; to: string | undefined }[] = [
    {
      amount: waiting.go_live_requests,
      icon: 'flag',
      text: t('{count, plural, one {# service wants to go live} other {# services want to go live}}', {
        count: waiting.go_live_requests,
      }),
      label: t('Decide'),
      to: link('/operator/services/going-live'),
    },
    {
      amount: waiting.locked_people,
      icon: 'user',
      text: t(
        '{count, plural, one {# person is locked out of other front ends} other {# people are locked out of other front ends}}',
        { count: waiting.locked_people },
      ),
      label: t('Unlock'),
      to: link('/operator/people?show=locked'),
    },
    {
      amount: waiting.complaints,
      icon: 'bell',
      text: t('{count, plural, one {# complaint today} other {# complaints today}}', { count: waiting.complaints }),
      label: t('Read'),
      to: link('/operator/complaints'),
    },
  ];
  const open = all.filter(({ amount }) => amount > 0);
  return (
    <section class="card" aria-labelledby="waiting">
      <div class="card-head">
        <h2 id="waiting">{t('Waiting for you')}</h2>
      </div>
      {open.length === 0 ? (
        <p class="muted">{t('No requests to go live, nobody locked out and no complaints today.')}</p>
      ) : (
        <ul class="list">
          {open.map(({ icon, text, label, to }) => (
            <li key={icon}>
              <Icon name={icon} />
              <span>{text}</span>
              {to && (
                <a href={to}>
                  {label}
                  <span class="sr">{t(': {text}', { text })}</span>
                </a>
              )}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function atMost(waiting: number): Text {
  return waiting >= maxCounted ? t('over {max, number}', { max: maxCounted }) : count(waiting);
}

function Queue({ overview: { lanes, retries, now } }: OverviewProps) {
  return (
    <section class="card" aria-labelledby="queue">
      <div class="card-head">
        <h2 id="queue">{t('Queue')}</h2>
      </div>
      <table class="table table--tight table--keep">
        <caption class="sr">
          {t('Messages that are due, by channel and priority, and those that wait for another attempt')}
        </caption>
        <thead>
          <tr>
            <th scope="col">{t('Priority')}</th>
            <th scope="col" class="num">
              {t('Waiting')}
            </th>
            <th scope="col" class="num">
              {t('Oldest')}
            </th>
          </tr>
        </thead>
        <tbody>
          {lanes.map(({ notification_type, lane, waiting, oldest_due_at }) => (
            <tr key={`${notification_type} ${lane}`}>
              <th scope="row">
                {t('{channel}, {priority}', {
                  channel: channelLabels[notification_type].name,
                  priority: priorityLabel(lane),
                })}
              </th>
              <td class="num">{atMost(waiting)}</td>
              <td class="num">{age(oldest_due_at, now)}</td>
            </tr>
          ))}
          {retries.map(
            ({ notification_type, waiting, oldest_at }) =>
              oldest_at && (
                <tr key={`${notification_type} retries`}>
                  <th scope="row">
                    <T>{{ name: channelLabels[notification_type].name }}, after a failed attempt</T>
                  </th>
                  <td class="num">{atMost(waiting)}</td>
                  <td class="num">{age(oldest_at, now)}</td>
                </tr>
              ),
          )}
        </tbody>
      </table>
    </section>
  );
}

function Senders({ overview: { senders }, link }: OverviewProps) {
  const all = link('/operator/services');
  const most = senders[0]?.count ?? 1;
  return (
    <section class="card" aria-labelledby="senders">
      <div class="card-head">
        <h2 id="senders">{t('Top senders today')}</h2>
        {all && (
          <a class="small" href={all}>
            {t('All services')}
          </a>
        )}
      </div>
      {senders.length === 0 ? (
        <p class="muted">{t('No messages today.')}</p>
      ) : (
        <ul class="bars">
          {senders.map(({ id, name, count: sent }) => (
            <li key={id}>
              <a href={pageUrl(`/operator/services/${id}`)}>{name}</a>
              <span class="num">{count(sent)}</span>
              <Meter share={sent / most} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

const shownProblems = 5;
const actions = {
  providers: { address: '/operator/providers', label: t('See providers') },
  system: { address: '/operator/system', label: t('See the checks') },
} as const;

/** Current problems, since when, and what was done about them. */
function Verdict({ overview, link }: { overview: Overview; link: Link }) {
  const { problems, now } = overview;
  return (
    <div class="stack">
      {problems.length === 0 && <AllIsWell overview={overview} />}
      {problems.slice(0, shownProblems).map((problem) => (
        <OneProblem key={problem.what + problem.detail} problem={problem} now={now} link={link} />
      ))}
      {problems.length > shownProblems && (
        <p>
          <T>{{ count: count(problems.length - shownProblems) }} more problems are not shown.</T>
        </p>
      )}
    </div>
  );
}

function AllIsWell({ overview: { providers, now } }: { overview: Overview }) {
  const moves = providers.flatMap(({ display_name, moves }) =>
    moves
      .filter(({ before, priority }) => priority < before)
      .slice(0, 1)
      .map((move) => ({ ...move, display_name })),
  );
  return (
    <section class="verdict tone-green" aria-labelledby="verdict">
      <Icon name="delivered" />
      <div>
        <h2 id="verdict">{t('No problems')}</h2>
        {moves.length === 0 && <p>{t('Providers, queues, workers and the system are working.')}</p>}
        {moves.map(({ display_name, before, priority, at }) => (
          <p key={display_name}>
            <T>
              {{ displayName: display_name }} had problems: Pennypost moved its share from {{ before }} to{' '}
              {{ priority }} at <Time at={at} now={now} brief />, and is moving it back step by step.
            </T>
          </p>
        ))}
      </div>
    </section>
  );
}

function OneProblem({ problem, now, link }: { problem: Problem; now: Date; link: Link }) {
  const { tone, what, detail, since, done, move, about } = problem;
  const to = link(actions[about].address);
  return (
    <section class={`verdict tone-${tone}`} aria-label={what}>
      <Icon name={tone === 'red' ? 'failed' : 'sending'} />
      <div>
        <h2>{what}</h2>
        <p>
          {since && (
            <>
              <T>
                Since <Time at={since} now={now} />:
              </T>{' '}
            </>
          )}
          {'finding' in detail ? <span lang="en">{detail.finding}</span> : detail}{' '}
          {move && (
            <>
              <T>
                Pennypost moved its share from {{ before: move.before }} to {{ priority: move.priority }} at{' '}
                <ClockTime at={move.at} />.
              </T>{' '}
            </>
          )}
          {done}
        </p>
      </div>
      {to && (
        <div class="row row--end">
          <a class="button" href={to}>
            {actions[about].label}
          </a>
        </div>
      )}
    </section>
  );
}
