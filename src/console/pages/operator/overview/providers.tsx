import type { Overview } from '../../../../operations/overview/overview.ts';
import { count } from '../../../money.ts';
import { Stamp, Status } from '../../../parts/status.tsx';
import { Spark } from './calls.tsx';
import type { Link } from './verdict.tsx';

type Provider = Overview['providers'][number];

/** Every provider in use, with its health and share. */
export function Providers({ overview, link }: { overview: Overview; link: Link }) {
  const all = link('/operator/providers');
  return (
    <section class="card card--flush" aria-labelledby="providers">
      <div class="card-head">
        <h2 id="providers">Providers</h2>
        {all && (
          <a class="small" href={all}>
            All providers
          </a>
        )}
      </div>
      <div class="table-wrap">
        <table class="table table--middle">
          <caption class="sr">Providers</caption>
          <thead>
            <tr>
              <th scope="col">Provider</th>
              <th scope="col">State</th>
              <th scope="col" class="num">
                Share
              </th>
              <th scope="col" class="num">
                Within 5 min
              </th>
              <th scope="col" class="num">
                Last hour
              </th>
              <th scope="col">
                <span class="sr">Course of the last hour</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {overview.providers.map((provider) => (
              <Row key={provider.notification_type + provider.identifier} provider={provider} overview={overview} />
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function Row({ provider, overview }: { provider: Provider; overview: Overview }) {
  const { identifier, display_name, notification_type, priority, active, in_time, handed_over_last_hour } = provider;
  const total = overview.providers
    .filter((one) => one.active && one.notification_type === notification_type)
    .reduce((sum, one) => sum + one.priority, 0);
  return (
    <tr>
      <th scope="row">
        <span class="row row--tight">
          <Stamp channel={notification_type === 'sms' ? 'text' : notification_type} small />
          {display_name}
        </span>
      </th>
      <td data-label="State">{stateOf(provider, overview)}</td>
      <td class="num" data-label="Share">
        {active && total > 0 ? `${Math.round((priority / total) * 100)}%` : <span class="muted">–</span>}
      </td>
      <td class="num" data-label="Within 5 min">
        {in_time === undefined ? <span class="muted">–</span> : `${Math.round(in_time * 100)}%`}
      </td>
      <td class="num" data-label="Last hour">
        {count(handed_over_last_hour)}
      </td>
      <td>
        <Spark provider={identifier} periods={overview.periods} now={overview.now} />
      </td>
    </tr>
  );
}

function stateOf({ identifier, notification_type, active, health }: Provider, { findings }: Overview) {
  const check = findings.find(({ provider, name }) => provider === identifier && name === notification_type);
  if (!active) return <Status kind="cancelled">Paused</Status>;
  if (health === 'failing' || check?.ok === false) return <Status kind="failed">Failing</Status>;
  if (health === 'errors') return <Status kind="sending">Errors</Status>;
  if (health === 'slow') return <Status kind="sending">Slow</Status>;
  if (identifier === 'sandbox') return <Status kind="accepted">Sandbox</Status>;
  return <Status kind="delivered">Well</Status>;
}
