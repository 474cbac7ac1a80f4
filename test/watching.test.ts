import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { measureQueues } from '../src/delivery/queue-check.ts';
import { ReportReceivers } from '../src/delivery/receipts/report-receivers.ts';
import { openInlet } from '../src/inlet/inlet.ts';
import { measureJobs } from '../src/jobs/unfinished-jobs.ts';
import { measureLetters } from '../src/letters/print/late-letters.ts';
import { measureReportFiles } from '../src/letters/print/report-files.ts';
import { measureGuard } from '../src/notifications/guard/guard.task.ts';
import { measureLimits } from '../src/notifications/limits/limit-notices.task.ts';
import { measureRollups } from '../src/notifications/rollups/rollups.ts';
import { measureHeld } from '../src/notifications/windows/held-messages.ts';
import { measurePlans } from '../src/plans/plan-messages.ts';
import { Standby } from '../src/platform/db/servers/standby.ts';
import { TaskRuns } from '../src/platform/queue/task-runs.ts';
import { observeDomains } from '../src/sending-domains/domain-metrics.ts';
import { measureReadiness } from '../src/sending-domains/readiness/readiness-metrics.ts';
import { tasks } from '../src/tasks.ts';
import { type Harness, useHarness } from './kit/harness.ts';
import { aCertificate } from './kit/vendors/certificate.ts';

/** Alerts and dashboard use existing metrics and labels: an alert with a misspelt name never fires. */

const rules = readFileSync('packaging/prometheus/pennypost.rules.yaml', 'utf8');
const dashboard = readFileSync('packaging/grafana/pennypost.json', 'utf8');
const alerts = [...rules.matchAll(/- alert: (\w+)\n(?: {8}#.*\n)? {8}expr: (?:\|\n)?((?:.*\n)+?) {8}(?:for|labels):/g)];
const expressions = [
  ...alerts.map(([, name = '', expression = '']) => ({ where: name, expression })),
  ...[...dashboard.matchAll(/"expr": "(.*)"/g)].map(([, text = '']) => ({
    where: 'dashboard',
    expression: JSON.parse(`"${text}"`) as string,
  })),
];

interface Question {
  name: string;
  labels: string[];
}

/** `rate(calls_total{outcome!="accepted"}[5m]) by (provider)`: calls_total, by outcome and provider. */
function questionsIn(expression: string): Question[] {
  const grouping = [...expression.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, names = '']) => names.split(/,\s*/));
  const bare = expression.replaceAll(/\bby \([^)]*\)|"[^"]*"|\[\w+\]|\band\b/g, '');
  return [...bare.matchAll(/\b([a-z][a-z0-9_]+)(\{[^}]*\})?(?!\w*\(|[=!~]|\w)/g)].map(
    ([, name = '', matchers = '']) => ({
      name: name.replace(/_bucket$/, ''),
      labels: [...(matchers.match(/\w+(?=[=!~])/g) ?? []), ...grouping],
    }),
  );
}

// Prometheus itself adds these.
const ofPrometheus = { metric: 'up', labels: ['job', 'instance', 'le'] };
const harness = useHarness({ config: { storage: { clamavAddress: '127.0.0.1:9' } } });

beforeAll(async () => {
  const { app } = harness;
  await measureMailbox(app);
  await measureStandby(app);
  await measureInlet(app);
  app.metrics.collectProcessMetrics();
  measureJobs(app);
  measureLetters(app);
  observeDomains(app);
  measureReportFiles(app);
  measureQueues(app);
  measureRollups(app);
  measureGuard(app);
  measureLimits(app);
  measureHeld(app);
  measurePlans(app);
  measureReadiness(app);
  new TaskRuns(app, tasks);
  return harness.deliver();
});

/** Measured where a mailbox is configured. */
async function measureMailbox(app: Harness['app']): Promise<void> {
  const smtp = { ...app.config.providers.smtp, returnPath: 'bounces@mail.example', imapUrl: 'imap://us:x@127.0.0.1:9' };
  const email = { ...app.config.email, providers: ['smtp'] };
  const config = { ...app.config, email, providers: { ...app.config.providers, smtp } };
  const receivers = new ReportReceivers({ ...app, config });
  receivers.start();
  await receivers.stop();
}

/** Measured where a standby is configured. */
async function measureStandby({ db, pool, log, metrics }: Harness['app']): Promise<void> {
  const url = inject('databaseUrl');
  const primary = { db, pool, close: async () => undefined };
  const limits = { poolSize: 1, statementTimeout_ms: 1_000 };
  const standby = new Standby({ url, primaryUrl: url, primary, ...limits, log, metrics });
  await standby.close();
}

/** Measured where there is an inlet. */
async function measureInlet(app: Harness['app']): Promise<void> {
  const { pem, privateKey } = aCertificate({ from: new Date(), until: new Date(Date.now() + 1_000_000) });
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const listening = { listen: { host: '127.0.0.1', port: 0 }, certificate: pem, key };
  const inlet = await openInlet({ ...app, config: { ...app.config, inlet: { ...app.config.inlet, ...listening } } });
  await inlet?.close();
}

describe('alerts and dashboard', () => {
  it('every expression is found', () => {
    expect(alerts.length).toBe(rules.match(/- alert:/g)?.length);
    expect(expressions.length - alerts.length).toBe(dashboard.match(/"expr"/g)?.length);
  });

  it.each(expressions)('$where uses existing metrics and labels: $expression', ({ expression }) => {
    const questions = questionsIn(expression).filter(({ name }) => name !== ofPrometheus.metric);
    for (const { name, labels } of questions) {
      const metric = harness.app.metrics.registry.getSingleMetric(name) as { labelNames?: string[] } | undefined;
      expect(metric, name).toBeDefined();
      const known = [...(metric?.labelNames ?? []), ...ofPrometheus.labels];
      expect(
        labels.filter((label) => !known.includes(label)),
        name,
      ).toEqual([]);
    }
  });
});
