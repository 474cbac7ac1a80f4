import { timestamp } from '../platform/clock.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { Platform } from '../platform/platform.ts';
import { dnsResolver, type Resolver } from './checks/resolver.ts';
import { countStates, selectProblems } from './sending-domains.sql.ts';
import type { DomainSettings } from './settings.ts';

/** Creates a resolver with the configured name servers that counts responses. */
export function countingResolver(metrics: Metrics, { dnsServers: servers }: DomainSettings): Resolver {
  const queries = metrics.counter('dns_queries_total', 'Questions to name servers about sending domains', [
    'type',
    'outcome',
  ]);
  return dnsResolver({ servers, count: (type, outcome) => queries.inc({ type, outcome }) });
}

const states = ['pending', 'verified', 'warning', 'suspended'] as const;

/** Reads the database at each scrape: there are at most some thousands of domains. */
export function observeDomains({ metrics, db, clock }: Platform): void {
  metrics.gauges('sending_domains', 'Domains that emails come from, by state', ['state'], async () => {
    const counts = new Map((await countStates(db)).map(({ state, count }) => [state, count]));
    return states.map((state) => ({ labels: { state }, value: counts.get(state) ?? 0 }));
  });
  const problems = 'Domains in use with a problem: what they need is wrong, or nothing has checked them';
  metrics.gauges('sending_domain_problems_seconds', problems, ['problem'], async () => {
    const { failing_s, unchecked_s } = await selectProblems(db, timestamp(clock.now()));
    return [
      { labels: { problem: 'failing' }, value: failing_s },
      { labels: { problem: 'unchecked' }, value: unchecked_s },
    ];
  });
}
