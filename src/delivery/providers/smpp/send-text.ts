import type { Binds } from '../../../libraries/smpp/binds.ts';
import { statuses, statusName } from '../../../libraries/smpp/commands.ts';
import { type AddressType, encodeSubmit, FieldError, readMessageId } from '../../../libraries/smpp/messages.ts';
import { payloadsOf } from '../../../libraries/smpp/texts.ts';
import type { Outcome, TextMessage } from '../provider.ts';
import { normalId, referenceOf } from './references.ts';
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
  const { text, encoding, reference } = message;
  // All attempts have the same number, so that parts of two attempts make one text.
  const number = Number.parseInt(reference.slice(-4), 16);
  return payloadsOf({ text, encoding, number }, own.longMessages).map((payload) =>
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

/** The length or the content of the message is wrong. */
const refused = new Set<number>([statuses.invalidMessageLength, statuses.rejected]);
/** The recipient cannot get it. */
const permanent = new Set<number>([statuses.invalidDestination, statuses.permanentError, statuses.deliveryFailure]);

/**
 * For a submit_sm_resp with an error. All others are tried again, with another provider if there is one: those of the
 * settings can be corrected meanwhile, and what those above 0x400 mean is the vendor's.
 */
function outcomeOfError(status: number): Exclude<Outcome, { kind: 'accepted' }> {
  const reason = statusName(status);
  if (permanent.has(status)) return { kind: 'refused', reason, status: 'permanent-failure' };
  if (refused.has(status)) return { kind: 'refused', reason, status: 'technical-failure' };
  return { kind: 'retry', reason };
}
