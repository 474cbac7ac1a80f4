import type { Outcome, TextMessage } from '../provider.ts';
import type { Binds } from './binds.ts';
import { statuses, statusName } from './commands.ts';
import { FieldError } from './fields.ts';
import { type AddressType, encodeSubmit, readMessageId } from './messages.ts';
import { outcomeOfError } from './outcomes.ts';
import { payloadsOf } from './parts.ts';
import { normalId } from './receipts.ts';
import { referenceOf } from './references.ts';
import type { SmppSettings } from './settings.ts';

/** How often one part is sent to a message centre that has the parts before it and cannot keep up. */
const maxPartAttempts = 5;

/** One part after the other, so that a message whose first part is refused is not sent at all. */
export async function sendText(binds: Binds, own: SmppSettings, message: TextMessage): Promise<Outcome> {
  const bodies = bodiesOf(own, message);
  if (!bodies) return { kind: 'refused', reason: 'the sender is too long for SMPP', status: 'technical-failure' };
  const references: string[] = [];
  for (const body of bodies) {
    let outcome = await submit(binds, own, body);
    for (let nth = 1; outcome.kind === 'retry' && outcome.isThrottled && references.length > 0; nth += 1) {
      if (nth === maxPartAttempts) break;
      outcome = await submit(binds, own, body);
    }
    if (outcome.kind === 'retry') {
      const { reason, perhaps_sent } = outcome;
      return { kind: 'retry', reason, perhaps_sent: perhaps_sent || references.length > 0 };
    }
    if (outcome.kind === 'refused') return outcome;
    if (outcome.reference) references.push(outcome.reference);
  }
  const [first] = references;
  if (first === undefined) return { kind: 'accepted' };
  return { kind: 'accepted', provider_reference: first, ...(references.length > 1 && { part_references: references }) };
}

const maxSender = 20;

function bodiesOf(own: SmppSettings, message: TextMessage): Buffer[] | undefined {
  if (message.sender.length > maxSender) return undefined;
  const source = { ...senderType(own, message.sender), address: message.sender };
  const destination = { ...own.recipient, address: message.to };
  return payloadsOf(message, own.longMessages).map((payload) =>
    encodeSubmit({ ...payload, service_type: own.serviceType, source, destination }),
  );
}

function senderType({ alphanumericSender, numericSender, shortSender }: SmppSettings, sender: string): AddressType {
  if (!/^\d+$/.test(sender)) return alphanumericSender;
  return sender.length <= 8 ? shortSender : numericSender;
}

type SubmitOutcome =
  | { kind: 'accepted'; reference: string | undefined }
  | Extract<Outcome, { kind: 'refused' }>
  | { kind: 'retry'; reason: string; perhaps_sent?: boolean; isThrottled?: boolean };

async function submit(binds: Binds, own: SmppSettings, body: Buffer): Promise<SubmitOutcome> {
  const reply = await binds.submit(body);
  if (reply.kind === 'not sent') return { kind: 'retry', reason: reply.reason };
  if (reply.kind === 'unanswered') return { kind: 'retry', reason: reply.reason, perhaps_sent: true };
  const { status } = reply;
  if (status === statuses.throttled || status === statuses.queueFull) {
    return { kind: 'retry', reason: statusName(status), isThrottled: true };
  }
  if (status !== statuses.ok) return outcomeOfError(status);
  try {
    const id = readMessageId(reply.body);
    return { kind: 'accepted', reference: id === '' ? undefined : referenceOf(normalId(id, 'response', own)) };
  } catch (error) {
    if (!(error instanceof FieldError)) throw error;
    return { kind: 'retry', reason: 'an unreadable submit_sm_resp', perhaps_sent: true };
  }
}
