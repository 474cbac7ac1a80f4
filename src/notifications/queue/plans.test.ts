import type pg from 'pg';
import { expect, it } from 'vitest';
import { somePastMessages } from '../../../test/kit/builders/messages.ts';
import { someQueuedMessages } from '../../../test/kit/builders/queued-messages.ts';
import { anApiKey, aService, aTemplate } from '../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../test/kit/harness.ts';

const harness = useHarness({ now: '2026-11-16T12:00:00Z' });

/** They may have millions of rows a minute later. */
const growing = /^(delivery_queue|notifications(_\w+)?|sandbox_messages)$/;

interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Cond'?: string;
  Plans?: PlanNode[];
}

/** As a moment ago, when autovacuum counted the rows. */
const counted = [
  { messages: 0, queued: 0 },
  { messages: 20, queued: 5 },
  { messages: 1_000, queued: 0 },
  { messages: 1_000, queued: 500 },
];

it.each(counted)('read no more rows than they change, planned with %o', async ({ messages, queued }) => {
  const { pool } = harness.app;
  const service = await aService(harness);
  await pool.query('truncate notifications, delivery_queue, sandbox_messages');
  const past = { service_id: service, notification_type: 'sms', created_at: '2026-11-16T11:00:00Z' } as const;
  await somePastMessages(harness, Array(messages).fill({ ...past, status: 'delivered' }));
  await someQueuedMessages(harness, service, Array(queued).fill({}));
  await pool.query('analyze notifications; analyze delivery_queue; analyze sandbox_messages');
  await sendAndDeliver(service);
  const plans = await plansOf(pool);
  expect([...plans.keys()]).toEqual(
    expect.arrayContaining(['store-notifications', 'lease', 'record-results', 'record-reported', 'receipt-targets']),
  );
  expect([...plans].flatMap(([name, plan]) => wholeScans(plan).map((scan) => `${name}: ${scan}`))).toEqual([]);
});

/** Uses every hot statement. */
async function sendAndDeliver(service: string): Promise<void> {
  const key = await anApiKey(harness, service);
  const template = { template_type: 'email', subject: 'Hello', content: 'Hello' } as const;
  const sms = { phone_number: '07700900123', template_id: await aTemplate(harness, service, { content: 'Hello' }) };
  const email = { email_address: 'ada@example.org', template_id: await aTemplate(harness, service, template) };
  expect((await harness.v2('POST', '/v2/notifications/sms', key, sms)).status).toBe(201);
  expect((await harness.v2('POST', '/v2/notifications/email', key, email)).status).toBe(201);
  await harness.deliver();
  harness.clock.advance({ seconds: 10 });
  await harness.deliver();
}

/** Of all statements that connections have prepared, for any parameters. */
async function plansOf(pool: pg.Pool): Promise<Map<string, PlanNode>> {
  const plans = new Map<string, PlanNode>();
  const connections = await Promise.all(Array.from({ length: pool.totalCount }, () => pool.connect()));
  for (const connection of connections) {
    const { rows } = await connection.query(
      'select name, cardinality(parameter_types) as parameters from pg_prepared_statements',
    );
    await connection.query('set plan_cache_mode = force_generic_plan');
    for (const { name, parameters } of rows) {
      const nulls = Array.from({ length: parameters }, () => 'null').join(', ');
      const explained = await connection.query(`explain (format json) execute "${name}"${nulls && `(${nulls})`}`);
      plans.set(name, explained.rows[0]['QUERY PLAN'][0].Plan);
    }
    connection.release(true);
  }
  return plans;
}

function wholeScans(node: PlanNode): string[] {
  const { 'Node Type': type, 'Relation Name': table = '', 'Index Cond': condition, Plans: below = [] } = node;
  const isWhole =
    type.endsWith('Scan') && type !== 'Bitmap Heap Scan' && growing.test(table) && condition === undefined;
  return [...(isWhole ? [`${type} of ${table}`] : []), ...below.flatMap(wholeScans)];
}
