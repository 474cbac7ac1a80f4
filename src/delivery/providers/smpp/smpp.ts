import { t } from '../../../language/text.ts';
import { type BindOptions, type BindType, openBound } from '../../../libraries/smpp/bind.ts';
import { Binds } from '../../../libraries/smpp/binds.ts';
import { statuses, statusName } from '../../../libraries/smpp/commands.ts';
import type { Frame } from '../../../libraries/smpp/frames.ts';
import { type AddressType, encodeSubmit, FieldError, readMessageId } from '../../../libraries/smpp/messages.ts';
import { payloadsOf } from '../../../libraries/smpp/texts.ts';
import type { ProviderDeps, ReceiptDeps, SmsDescriptor } from '../descriptor.ts';
import type { Outcome, Provider, TextMessage } from '../provider.ts';
import { type EarlyReceipt, type Reports, recordOrRetry } from '../reports.ts';
import { AcceptedReferences, normalId, referenceOf, takeDelivery } from './deliveries.ts';
import { problemsOf, type SmppSettings, settings } from './settings.ts';

/** Any SMS message centre or aggregator that speaks SMPP 3.4. Receipts and received texts arrive on the same connections. */
export const smpp = {
  name: 'smpp' as const,
  channel: 'sms',
  details: {
    id: 'c1f7b0a4-5d0e-4e57-9a39-6f3f0b7f5a51',
    display_name: 'SMPP',
    priority: 50,
    supports_international: true,
  },
  settings,
  required: ['url', 'systemId', 'password'],
  problems: problemsOf,
  guide: 'smpp',
  open,
  receiptAdvice: t(
    'Check SMPP_RECEIPT_IDS: the ids in receipts may be decimal and those in responses hexadecimal, or the other way round.',
  ),
  retryReceipt: (app: ReceiptDeps<typeof settings>, event) => recordOrRetry(app, 'smpp', event as EarlyReceipt),
} satisfies SmsDescriptor<typeof settings>;

type Deps = ProviderDeps<typeof settings>;

function open(app: Deps): Provider<TextMessage> {
  const { settings: own, log, clock } = app;
  const accepted = new AcceptedReferences();
  let reports: Reports | undefined;
  const options: Omit<BindOptions, 'type'> = {
    address: addressOf(own),
    timing: own,
    window: own.window,
    advice,
    credentials: {
      system_id: own.systemId ?? '',
      password: own.password ?? '',
      system_type: own.systemType,
      address_range: own.addressRange,
    },
    // Without `listen` nothing is stored, so nothing may be acknowledged.
    async onRequest(frame: Frame) {
      return reports ? takeDelivery({ log, clock, settings: own, reports, accepted }, frame) : statuses.temporaryError;
    },
  };
  const failed = (bind: BindType, reason: string) =>
    log.warn({ event: 'smpp.unbound', bind, reason }, 'There is no bind to the SMPP message centre');
  let binds: Binds | undefined;
  const bound = () => {
    binds ??= reports
      ? new Binds(options, bindTypes(own), failed)
      : new Binds({ ...options, ...toTest(own) }, ['transmitter'], failed);
    return binds;
  };
  return {
    name: 'smpp',
    listen(given) {
      reports = given;
      bound().start();
    },
    async check() {
      const connection = await openBound({ ...options, type: 'transmitter', ...toTest(own) }, () => {});
      await connection.close();
    },
    async send(message) {
      const outcome = await sendText(bound(), own, message);
      if (outcome.kind === 'accepted') {
        for (const reference of [outcome.provider_reference ?? [], outcome.part_references ?? []].flat()) {
          accepted.add(reference);
        }
      }
      return outcome;
    },
    async close() {
      await binds?.close();
    },
  };
}

const advice: BindOptions['advice'] = {
  unreachable: 'check SMPP_URL and the firewall',
  refused: new Map<number, string>([
    [statuses.invalidPassword, 'correct SMPP_PASSWORD'],
    [statuses.invalidSystemId, 'correct SMPP_SYSTEM_ID'],
    [statuses.bindFailed, 'check SMPP_SYSTEM_ID, SMPP_PASSWORD and whether the account may bind from this machine'],
    [statuses.alreadyBound, 'the account has no bind left: lower SMPP_BINDS, or ask for more'],
  ]),
};

function bindTypes({ bind, binds }: SmppSettings): BindType[] {
  const each: BindType[] = bind === 'transceiver' ? ['transceiver'] : ['transmitter', 'receiver'];
  return Array.from({ length: binds }, () => each).flat();
}

/**
 * Checks and test messages bind as transmitters, because they receive nothing. Where only transceivers may bind, they bind as such and
 * acknowledge nothing that arrives, so the message centre sends it again to a worker.
 */
function toTest({ bind }: SmppSettings): { fallbackType?: BindType } {
  return bind === 'transceiver' ? { fallbackType: 'transceiver' } : {};
}

function addressOf({ url = '', ca }: SmppSettings) {
  const { protocol, hostname, port } = new URL(url);
  const tls = protocol === 'smpps:';
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || (tls ? 3550 : 2775)), tls, ca };
}

/** Max attempts to send a part when the message centre already has the parts before it but is throttling. */
const maxPartAttempts = 5;

/** Sends one part after the other, so that nothing of a message is sent if its first part is refused. */
async function sendText(binds: Binds, own: SmppSettings, message: TextMessage): Promise<Outcome> {
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
  // The number is the same in all attempts, so that the parts of two attempts make one text.
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
/** The recipient cannot receive it. */
const permanent = new Set<number>([statuses.invalidDestination, statuses.permanentError, statuses.deliveryFailure]);

/**
 * The outcome of a submit_sm_resp with an error. All other errors are retried, with another provider if there is one: errors in the
 * settings can be corrected meanwhile, and codes above 0x400 are vendor-specific.
 */
function outcomeOfError(status: number): Exclude<Outcome, { kind: 'accepted' }> {
  const reason = statusName(status);
  if (permanent.has(status)) return { kind: 'refused', reason, status: 'permanent-failure' };
  if (refused.has(status)) return { kind: 'refused', reason, status: 'technical-failure' };
  return { kind: 'retry', reason };
}
