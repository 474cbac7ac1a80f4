import { annualLimitExceeded, findExceededYear } from '../notifications/limits/annual-limits.ts';
import { dailyLimitExceeded, remainingToday } from '../notifications/limits/daily-limits.ts';
import { phoneRulesFor } from '../notifications/sending/read-requests.ts';
import { sendEmail, sendLetter, sendSms } from '../notifications/sending/send.ts';
import type { SendContext, SendDeps } from '../notifications/sending/send-context.ts';
import { refuseIfDailyLimitIsReached } from '../notifications/sending/send-rules.ts';
import { Failure } from '../platform/failure.ts';
import type { Channel } from '../protocol/channels.ts';
import { parseEmailAddress } from '../recipients/email-address.ts';
import { parsePhoneNumber } from '../recipients/phone-number.ts';
import { addressOf, type MessageContent } from './message-content.ts';
import type { StepState } from './plan-rules.ts';

interface StepToSend {
  channel: Channel;
  template_id: string;
  template_version?: number;
  reference: string | null;
}

/** Why a step was not sent. If it is `waiting`, it is tried again. */
export interface Unsent {
  state: Extract<StepState, 'waiting' | 'skipped' | 'failed'>;
  reason: string;
  failure?: Failure;
}

/** Sends a step as a single message, with the same checks and limits. Returns undefined, or why it was not sent. */
export async function sendStep(
  app: SendDeps,
  context: SendContext,
  step: StepToSend,
  content: MessageContent,
): Promise<Unsent | undefined> {
  try {
    return await send(app, context, step, content);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const unsent = reasonOf(error);
    if (!unsent) throw error;
    return { ...unsent, failure: error };
  }
}

async function send(
  app: SendDeps,
  context: SendContext,
  { channel, template_id, template_version, reference }: StepToSend,
  { recipient, personalisation }: MessageContent,
): Promise<Unsent | undefined> {
  const shared = { template_id, template_version, personalisation, reference: reference ?? undefined };
  const timed = { ...shared, recipient_time_zone: recipient.time_zone };
  if (!context.only_check) refuseIfDailyLimitIsReached(app, context, channel);
  switch (channel) {
    case 'email': {
      const { email_address } = recipient;
      if (email_address === undefined) return missing;
      const parsed = parseEmailAddress(email_address);
      if (!parsed.ok) return invalid;
      await sendEmail(app, context, { request: { ...timed, email_address }, ...parsed, scheduled_for: null });
      return undefined;
    }
    case 'sms': {
      const { phone_number } = recipient;
      if (phone_number === undefined) return missing;
      const parsed = parsePhoneNumber(phoneRulesFor(app.country, context.dialect), phone_number);
      if (!parsed.ok) return invalid;
      await sendSms(app, context, { request: { ...timed, phone_number }, number: parsed.number, scheduled_for: null });
      return undefined;
    }
    case 'letter': {
      const address = addressOf(recipient);
      if (Object.keys(address).length === 0) return missing;
      await sendLetter(app, context, { ...shared, personalisation: { ...personalisation, ...address } });
      return undefined;
    }
  }
}

/** Says that a step would fail now by a limit of its channel. Undefined if there is something left. */
export async function findReachedLimit(
  app: SendDeps,
  { service, key_type, now }: SendContext,
  channel: Channel,
): Promise<Unsent | undefined> {
  if (key_type === 'test') return undefined;
  const isDayOver = (await remainingToday(app, service, channel)).messages === 0;
  const year = isDayOver ? undefined : await findExceededYear(app, service, channel, { messages: 1, parts: 1 });
  if (!isDayOver && !year) return undefined;
  const failure = year
    ? annualLimitExceeded(service, year.quota)
    : dailyLimitExceeded(app.country, service, channel, now);
  return { state: 'failed', reason: 'limit', failure };
}

const missing: Unsent = { state: 'skipped', reason: 'missing' };
const invalid: Unsent = { state: 'skipped', reason: 'invalid' };

const reasons = new Map([
  ['sending_times_never_open', 'sending-times'],
  ['suppressed', 'suppressed'],
  ['opted_out', 'opted-out'],
  ['channel_not_allowed', 'not-allowed'],
  ['international_not_allowed', 'not-allowed'],
  ['not_in_team', 'not-allowed'],
  ['not_in_trial_mode', 'not-allowed'],
  ['letters_with_team_key', 'not-allowed'],
  ['letters_in_trial_mode', 'not-allowed'],
]);

/** Undefined if the failure has nothing to do with this message: then the step is tried again. */
function reasonOf({ kind, code, reason }: Failure): Omit<Unsent, 'failure'> | undefined {
  if (reason === 'sending_times_closed') return { state: 'waiting', reason: 'sending-times' };
  const skipped = reason === undefined ? undefined : reasons.get(reason);
  if (skipped !== undefined) return { state: 'skipped', reason: skipped };
  if (kind === 'too-many') return { state: 'failed', reason: 'limit' };
  if (kind === 'unavailable' || kind === 'conflict' || kind === 'timeout') return undefined;
  // These are about the number or the address, all others about the template or the values.
  const isRecipient = code === 'InvalidPhoneError' || (code === 'ValidationError' && reason !== undefined);
  return isRecipient ? invalid : { state: 'failed', reason: 'template' };
}
