import type { AddressType } from '../../../libraries/smpp/messages.ts';
import { longMessageForms } from '../../../libraries/smpp/texts.ts';
import type { Setting } from '../../../platform/setting.ts';
import * as setting from '../../../platform/setting.ts';
import type { Values } from '../../../platform/setting-groups.ts';

export const settings = {
  url: setting.optionalUrl(
    'SMPP_URL',
    'SMPP message centre, `smpp://host:2775`, or `smpps://host:3550` with TLS. Credentials have settings of their own.',
    ['smpp://', 'smpps://'],
  ),
  systemId: setting.optionalText('SMPP_SYSTEM_ID', 'System id of the SMPP account.'),
  password: setting.optionalText('SMPP_PASSWORD', 'Password of the SMPP account.', { secret: true }),
  systemType: setting.text('SMPP_SYSTEM_TYPE', 'System type, if the message centre asks for one.', {
    fallback: '',
    fallbackText: '(empty)',
  }),
  serviceType: setting.text('SMPP_SERVICE_TYPE', 'Service type of the messages, if the message centre asks for one.', {
    fallback: '',
    fallbackText: '(empty)',
  }),
  addressRange: setting.text('SMPP_ADDRESS_RANGE', 'Numbers whose received texts this account takes, as a pattern.', {
    fallback: '',
    fallbackText: '(empty)',
  }),
  ca: setting.optionalText(
    'SMPP_TLS_CA',
    'Certificate in PEM that the message centre must have or be signed by. Unset: a public authority.',
    { secret: true },
  ),
  bind: setting.oneOf(
    'SMPP_BIND',
    '`transceiver`: one bind sends and receives; `separate`: a transmitter and a receiver each.',
    ['transceiver', 'separate'],
    { fallback: 'transceiver' },
  ),
  binds: setting.integer('SMPP_BINDS', 'Binds of each worker process.', { fallback: 1, min: 1, max: 20 }),
  window: setting.integer('SMPP_WINDOW', 'Messages of one bind that can wait for their response at the same time.', {
    fallback: 20,
    min: 1,
    max: 1_000,
  }),
  enquireAfter_ms: setting.seconds(
    'SMPP_ENQUIRE_LINK_S',
    'Seconds of silence after which a bind asks the message centre whether it is still there.',
    { fallback: 30, min: 1, max: 3_600 },
  ),
  responseTimeout_ms: setting.seconds(
    'SMPP_RESPONSE_TIMEOUT_S',
    'Seconds to wait for a response. After that the message may have been sent, and is sent again later.',
    { fallback: 10, min: 1, max: 60 },
  ),
  longMessages: setting.oneOf(
    'SMPP_LONG_MESSAGES',
    'How texts go out that need more than one message: `udh` (parts with an 8-bit number), `udh16` (16-bit), `sar` (parts with parameters) or `payload` (one message of any length).',
    longMessageForms,
    { fallback: 'udh' },
  ),
  receiptIds: setting.oneOf(
    'SMPP_RECEIPT_IDS',
    'How ids in receipts differ from those in responses: `same`, `decimal` (responses are hexadecimal) or `hexadecimal` (responses are decimal).',
    ['same', 'decimal', 'hexadecimal'],
    { fallback: 'same' },
  ),
  temporaryErrors: setting.list(
    'SMPP_TEMPORARY_ERRORS',
    'Comma-separated error codes in receipts (`err:`) that make an undeliverable message a temporary failure.',
    { fallback: [], fallbackText: '(unset)' },
  ),
  alphanumericSender: addressType('SMPP_ALPHANUMERIC_SENDER', 'senders with letters', { ton: 5, npi: 0 }),
  numericSender: addressType('SMPP_NUMERIC_SENDER', 'senders that are phone numbers', { ton: 1, npi: 1 }),
  shortSender: addressType('SMPP_SHORT_SENDER', 'senders of up to 8 digits', { ton: 3, npi: 0 }),
  recipient: addressType('SMPP_RECIPIENT', 'recipients, which have a country code', { ton: 1, npi: 1 }),
};

export type SmppSettings = Values<typeof settings>;

function addressType(name: string, whose: string, fallback: AddressType): Setting<AddressType> {
  return {
    name,
    description: `Type of number and numbering plan (TON/NPI) of ${whose}.`,
    fallback,
    secret: false,
    parse(text) {
      const [, ton = '', npi = ''] = /^\s*(\d{1,3})\s*\/\s*(\d{1,3})\s*$/.exec(text) ?? [];
      if (ton === '' || Number(ton) > 255 || Number(npi) > 255) {
        throw new Error(`must be two numbers from 0 to 255, such as 1/1, not "${text}"`);
      }
      return { ton: Number(ton), npi: Number(npi) };
    },
    format: ({ ton, npi }) => `${ton}/${npi}`,
  };
}

/** Returns settings that do not fit into a bind, or would be ignored. */
export function problemsOf({ url, systemId = '', systemType = '', serviceType = '' }: Partial<SmppSettings>): string[] {
  const address = url === undefined ? undefined : new URL(url);
  const tooLong = (name: string, value: string, max: number) =>
    value.length > max ? [`${name} must have at most ${max} characters`] : [];
  return [
    ...(address && (address.username !== '' || address.password !== '')
      ? ['SMPP_URL must not contain credentials: use SMPP_SYSTEM_ID and SMPP_PASSWORD']
      : []),
    ...(address && address.hostname === '' ? ['SMPP_URL must contain a host'] : []),
    ...tooLong('SMPP_SYSTEM_ID', systemId, 15),
    ...tooLong('SMPP_SYSTEM_TYPE', systemType, 12),
    ...tooLong('SMPP_SERVICE_TYPE', serviceType, 5),
  ];
}
