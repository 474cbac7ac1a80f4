import { sql } from 'kysely';
import { forApi, t } from '../language/text.ts';
import type { Timestamp } from '../platform/clock.ts';
import type { Db, Tx } from '../platform/db/database.ts';
import { withConstraints } from '../platform/db/errors.ts';
import { anyOf } from '../platform/db/expressions.ts';
import { invalidField } from '../platform/failure.ts';
import type { Channel } from '../protocol/channels.ts';

/** One attempt of a plan to reach the recipient. */
export interface PlanStep {
  channel: Channel;
  template_id: string;
  /** Hours without delivery, counted from hand-over, after which the next step starts; null in the last one. */
  wait_h: number | null;
  /** Used only if no earlier step could be sent. */
  only_if_missing: boolean;
}

export interface ChannelPlan {
  id: string;
  service_id: string;
  name: string;
  steps: PlanStep[];
  version: number;
  archived: boolean;
  created_by_id: string;
  created_at: Timestamp;
  updated_at: Timestamp | null;
}

const columns = [
  'id',
  'service_id',
  'name',
  sql<PlanStep[]>`steps`.as('steps'),
  'version',
  'archived',
  'created_by_id',
  'created_at',
  'updated_at',
] as const;

export function selectPlans(db: Db, serviceId: string): Promise<ChannelPlan[]> {
  return db
    .selectFrom('channel_plans')
    .select(columns)
    .where('service_id', '=', serviceId)
    .where('archived', '=', false)
    .orderBy(sql`lower(name)`)
    .execute();
}

export function selectPlan(db: Db | Tx, serviceId: string, id: string): Promise<ChannelPlan | undefined> {
  return db
    .selectFrom('channel_plans')
    .select(columns)
    .where('service_id', '=', serviceId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** Locked until the transaction ends, so that versions have no gaps. */
export function lockPlan(tx: Tx, serviceId: string, id: string): Promise<ChannelPlan | undefined> {
  return tx
    .selectFrom('channel_plans')
    .select(columns)
    .where('service_id', '=', serviceId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
}

const unknownAuthor = () => invalidField('created_by', 'No result found');
const planNameTaken = forApi(
  'Another plan already has this name',
  t('Enter another name. Another plan already has this one.'),
);
const constraints = {
  channel_plans_name_key: () => invalidField('name', planNameTaken),
  channel_plans_created_by_id_fkey: unknownAuthor,
  channel_plan_versions_created_by_id_fkey: unknownAuthor,
};

export async function insertPlan(
  tx: Tx,
  { steps, ...row }: Omit<ChannelPlan, 'archived' | 'updated_at'>,
): Promise<void> {
  await withConstraints(constraints, () =>
    tx
      .insertInto('channel_plans')
      .values({ ...row, steps: JSON.stringify(steps) })
      .execute(),
  );
}

export async function updatePlanRow(
  tx: Tx,
  id: string,
  {
    steps,
    ...change
  }: Partial<Pick<ChannelPlan, 'name' | 'steps' | 'version' | 'archived'>> & { updated_at: Timestamp },
): Promise<void> {
  await withConstraints(constraints, () =>
    tx
      .updateTable('channel_plans')
      .set({ ...change, ...(steps ? { steps: JSON.stringify(steps) } : {}) })
      .where('id', '=', id)
      .execute(),
  );
}

export async function insertPlanVersion(
  tx: Tx,
  row: { plan_id: string; version: number; steps: PlanStep[]; created_by_id: string; created_at: Timestamp },
): Promise<void> {
  await withConstraints(constraints, () =>
    tx
      .insertInto('channel_plan_versions')
      .values({ ...row, steps: JSON.stringify(row.steps) })
      .execute(),
  );
}

/** The channels of the given templates that the service can send. */
export async function selectChannelsOfTemplates(
  db: Db | Tx,
  serviceId: string,
  ids: string[],
): Promise<Map<string, Channel>> {
  const found = await db
    .selectFrom('templates')
    .select(['id', 'template_type'])
    .where('service_id', '=', serviceId)
    .where('id', '=', anyOf(ids))
    .where('archived', '=', false)
    .where('hidden', '=', false)
    .execute();
  return new Map(found.map(({ id, template_type }) => [id, template_type as Channel]));
}

/** Ignores case, and archived plans. */
export function selectPlanNamed(db: Db, serviceId: string, name: string): Promise<ChannelPlan | undefined> {
  return db
    .selectFrom('channel_plans')
    .select(columns)
    .where('service_id', '=', serviceId)
    .where(sql`lower(name)`, '=', sql`lower(${name})`)
    .where('archived', '=', false)
    .executeTakeFirst();
}
