import { isDeepStrictEqual } from 'node:util';
import { day_ms, hour_ms, timestamp } from '../platform/clock.ts';
import { type Db, inTransaction, type Tx } from '../platform/db/database.ts';
import { refuseUnlessExists } from '../platform/db/exists.ts';
import { invalid, invalidField, notFound } from '../platform/failure.ts';
import { canonicalId, newId } from '../platform/id.ts';
import type { Platform } from '../platform/platform.ts';
import type { Channel } from '../protocol/channels.ts';
import { retentionDaysOf } from '../services/settings/data-retention.ts';
import {
  type ChannelPlan,
  insertPlan,
  insertPlanVersion,
  lockPlan,
  type PlanStep,
  selectChannelsOfTemplates,
  selectPlan,
  selectPlans,
  updatePlanRow,
} from './channel-plans.sql.ts';
import { selectOutcomes } from './plan-outcomes.sql.ts';

export const maxSteps = 5;
/** Two weeks. */
const maxWait_h = 336;

const messagesOf: Record<Channel, string> = { email: 'emails', sms: 'text messages', letter: 'letters' };
const templateOf: Record<Channel, string> = {
  email: 'an email template',
  sms: 'a text message template',
  letter: 'a letter template',
};

export async function listPlans(db: Db, serviceId: string): Promise<ChannelPlan[]> {
  await refuseUnlessExists(db, 'services', serviceId);
  return selectPlans(db, serviceId);
}

/** How many messages of a plan ended in which way. */
export interface PlanFigures {
  /** In the order of the steps. A step may have another channel in another version. */
  delivered: { step: number; channel: Channel; messages: number }[];
  failed: number;
  cancelled: number;
  /** The sum of those above. */
  ended: number;
  /** Accepted, and not ended yet. */
  open: number;
}

/** Covers all versions, also of an archived plan. Messages of test keys do not count. */
export async function getPlanFigures(db: Db, serviceId: string, planId: string): Promise<PlanFigures> {
  const { id } = await getPlan(db, serviceId, planId);
  const outcomes = await selectOutcomes(db, id);
  const sum = (...statuses: string[]) =>
    outcomes.reduce((total, { status, messages }) => total + (statuses.includes(status) ? messages : 0), 0);
  const delivered = outcomes.flatMap(({ step, channel, messages }) => (channel ? [{ step, channel, messages }] : []));
  return {
    ...{ delivered, failed: sum('failed'), cancelled: sum('cancelled') },
    ...{ ended: sum('delivered', 'failed', 'cancelled'), open: sum('created', 'in-progress') },
  };
}

export async function getPlan(db: Db | Tx, serviceId: string, id: string): Promise<ChannelPlan> {
  const plan = await selectPlan(db, serviceId, id);
  if (!plan) throw notFound();
  return plan;
}

/** A step in a request. */
interface StepRequest {
  channel: Channel;
  template_id: string;
  wait_h?: number | null;
  only_if_missing?: boolean;
}

export async function createPlan(
  { db, clock }: Platform,
  serviceId: string,
  request: { name: string; steps: StepRequest[]; created_by: string },
): Promise<ChannelPlan> {
  await refuseUnlessExists(db, 'services', serviceId);
  const now = clock.now();
  const id = newId(now);
  return inTransaction(db, async (tx) => {
    const steps = await checkSteps(tx, serviceId, request.steps);
    const author = { created_by_id: request.created_by, created_at: timestamp(now) };
    await insertPlan(tx, { id, service_id: serviceId, name: checkName(request.name), steps, version: 1, ...author });
    await insertPlanVersion(tx, { plan_id: id, version: 1, steps, ...author });
    return getPlan(tx, serviceId, id);
  });
}

/** Accepted messages keep their version of the plan. */
export async function updatePlan(
  { db, clock }: Platform,
  serviceId: string,
  id: string,
  request: { name?: string; steps?: StepRequest[]; created_by: string },
): Promise<ChannelPlan> {
  const at = timestamp(clock.now());
  return inTransaction(db, async (tx) => {
    const plan = await lockPlan(tx, serviceId, id);
    if (!plan || plan.archived) throw notFound();
    const name = request.name === undefined ? {} : { name: checkName(request.name) };
    const steps = request.steps && (await checkSteps(tx, serviceId, request.steps));
    if (!steps || isDeepStrictEqual(steps, plan.steps)) {
      await updatePlanRow(tx, plan.id, { ...name, updated_at: at });
      return getPlan(tx, serviceId, id);
    }
    const version = plan.version + 1;
    await updatePlanRow(tx, plan.id, { ...name, steps, version, updated_at: at });
    const author = { created_by_id: request.created_by, created_at: at };
    await insertPlanVersion(tx, { plan_id: plan.id, version, steps, ...author });
    return getPlan(tx, serviceId, id);
  });
}

/** No new message can use the plan. Accepted messages go on. */
export async function archivePlan({ db, clock }: Platform, serviceId: string, id: string): Promise<void> {
  await inTransaction(db, async (tx) => {
    const plan = await lockPlan(tx, serviceId, id);
    if (!plan) throw notFound();
    if (plan.archived) return;
    await updatePlanRow(tx, plan.id, { archived: true, updated_at: timestamp(clock.now()) });
  });
}

function checkName(name: string): string {
  const trimmed = name.trim();
  if (trimmed === '') throw invalidField('name', 'Enter a name for the plan');
  return trimmed;
}

async function checkSteps(tx: Tx, serviceId: string, requested: StepRequest[]): Promise<PlanStep[]> {
  if (requested.length < 2 || requested.length > maxSteps) throw invalid(`A plan needs 2 to ${maxSteps} steps`);
  const ids = requested.map(({ template_id }) => canonicalId(template_id));
  const channels = await selectChannelsOfTemplates(tx, serviceId, ids);
  const retention = await retentionDaysOf(tx, serviceId);
  return requested.map(({ channel, template_id, wait_h = null, only_if_missing = false }, index) => {
    const isLast = index === requested.length - 1;
    if (channel === 'letter' && !isLast) throw invalid('A letter must be the last step');
    const id = canonicalId(template_id);
    if (channels.get(id) !== channel) throw invalid(`Step ${index + 1} needs ${templateOf[channel]} of this service`);
    if (only_if_missing && index === 0) throw invalid('The first step cannot depend on earlier ones');
    if (!isLast) refuseUnlessWaitIsPossible(wait_h, channel, retention[channel]);
    return { channel, template_id: id, wait_h: isLast ? null : wait_h, only_if_missing };
  });
}

/** A receipt cannot be matched to a deleted message, so a step must not wait for longer than its message is kept. */
const retained_h = (days: number): number => ((days - 1) * day_ms) / hour_ms;

/** The longest possible wait of a step in this service, by channel. */
export async function longestWaits(db: Db, serviceId: string): Promise<Record<Channel, number>> {
  const { email, sms, letter } = await retentionDaysOf(db, serviceId);
  const longest = (days: number) => Math.min(maxWait_h, retained_h(days));
  return { email: longest(email), sms: longest(sms), letter: longest(letter) };
}

function refuseUnlessWaitIsPossible(wait_h: number | null, channel: Channel, days: number): void {
  if (wait_h === null || !Number.isInteger(wait_h) || wait_h < 1 || wait_h > maxWait_h) {
    throw invalid(`Wait 1 to ${maxWait_h} hours`);
  }
  const longest_h = retained_h(days);
  if (wait_h <= longest_h) return;
  throw invalid(`Wait 1 to ${longest_h} hours: ${messagesOf[channel]} of this service are kept for ${days} days`);
}
