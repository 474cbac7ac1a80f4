import { t } from '../../../language/text.ts';
import { type BindOptions, type BindType, openBound } from '../../../libraries/smpp/bind.ts';
import { Binds } from '../../../libraries/smpp/binds.ts';
import { statuses } from '../../../libraries/smpp/commands.ts';
import type { Frame } from '../../../libraries/smpp/frames.ts';
import type { ProviderDeps, ReceiptDeps, SmsDescriptor } from '../descriptor.ts';
import { type EarlyReceipt, recordOrRetry } from '../early-receipts.ts';
import type { Provider, TextMessage } from '../provider.ts';
import type { Reports } from '../reports.ts';
import { takeDelivery } from './deliveries.ts';
import { AcceptedReferences } from './references.ts';
import { sendText } from './send-text.ts';
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
    // Who does not listen must not confirm anything.
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
 * Checks and test messages listen to nothing, so they bind as transmitters. Where only transceivers may bind they do that,
 * and what arrives meanwhile is not confirmed: the message centre repeats it to a worker.
 */
function toTest({ bind }: SmppSettings): { otherwise?: BindType } {
  return bind === 'transceiver' ? { otherwise: 'transceiver' } : {};
}

function addressOf({ url = '', ca }: SmppSettings) {
  const { protocol, hostname, port } = new URL(url);
  const tls = protocol === 'smpps:';
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || (tls ? 3550 : 2775)), tls, ca };
}
