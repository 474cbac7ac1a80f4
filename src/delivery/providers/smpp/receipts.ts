import type { ReceiptStatus } from '../reports.ts';
import { parameters } from './commands.ts';
import type { Delivered } from './messages.ts';
import type { SmppSettings } from './settings.ts';

/** Bits of the esm_class of a deliver_sm: the receipt of the message centre, and a notice on the way. */
const messageTypes = 0x3c;
const receiptType = 0x04;
const noticeType = 0x20;

/** Some message centres set the parameter and not the type. */
export function isReceipt({ esm_class, parameters: given }: Delivered): boolean {
  const type = esm_class & messageTypes;
  return type === receiptType || type === noticeType || given.has(parameters.receipted_message_id);
}

interface ReadReceipt {
  /** As in the response to the message. */
  message_id: string;
  status: ReceiptStatus;
}

type ReceiptSettings = Pick<SmppSettings, 'receiptIds' | 'temporaryErrors'>;

/** From the parameters, or from the text of appendix B: `id:... stat:DELIVRD err:000`. Undefined if it has no id or no state. */
export function readReceipt(delivered: Delivered, settings: ReceiptSettings): ReadReceipt | undefined {
  const text = fieldsOf(delivered.content.toString('latin1'));
  const ofParameter = delivered.parameters.get(parameters.receipted_message_id);
  const textId = text.get('id');
  const message_id = ofParameter
    ? normalId(untilZero(ofParameter), 'response', settings)
    : textId && normalId(textId, 'receipt', settings);
  const state = delivered.parameters.get(parameters.message_state)?.[0];
  const name = state === undefined ? text.get('stat')?.toUpperCase() : stateNames.get(state);
  if (!message_id || !name) return undefined;
  return { message_id, status: statusOf(name, errorOf(delivered, text), settings) };
}

/** Of the parameter message_state, by number. */
const stateNames = new Map<number, string>([
  [1, 'ENROUTE'],
  [2, 'DELIVRD'],
  [3, 'EXPIRED'],
  [4, 'DELETED'],
  [5, 'UNDELIV'],
  [6, 'ACCEPTD'],
  [7, 'UNKNOWN'],
  [8, 'REJECTD'],
]);

function statusOf(name: string, error: string | undefined, { temporaryErrors }: ReceiptSettings): ReceiptStatus {
  switch (name) {
    case 'DELIVRD':
      return 'delivered';
    case 'EXPIRED':
      return 'temporary-failure';
    case 'UNDELIV':
    case 'REJECTD':
      return error !== undefined && temporaryErrors.includes(error) ? 'temporary-failure' : 'permanent-failure';
    case 'DELETED':
      return 'technical-failure';
    default:
      // On its way, or nobody knows: without another receipt the message times out.
      return 'pending';
  }
}

function errorOf({ parameters: given }: Delivered, text: Map<string, string>): string | undefined {
  const code = given.get(parameters.network_error_code);
  return text.get('err') ?? (code?.length === 3 ? String(code.readUInt16BE(1)) : undefined);
}

/** The names of two words before those that they end with. */
const field = /\b(id|sub|dlvrd|submit date|done date|stat|err):\s*(\S+)/gi;

/** What follows `text:` is the beginning of the message, which may contain anything. */
function fieldsOf(text: string): Map<string, string> {
  const [head = ''] = text.split(/\btext:/i);
  return new Map(Array.from(head.matchAll(field), ([, name = '', value = '']) => [name.toLowerCase(), value]));
}

function untilZero(value: Buffer): string {
  const end = value.indexOf(0);
  return value.toString('latin1', 0, end < 0 ? value.length : end);
}

/** The form in which ids of responses and of receipts are equal. */
export function normalId(
  id: string,
  place: 'response' | 'receipt',
  { receiptIds }: Pick<SmppSettings, 'receiptIds'>,
): string {
  if (receiptIds === 'same') return id;
  const isHexadecimal = (receiptIds === 'hexadecimal') === (place === 'receipt');
  const digits = isHexadecimal ? /^[0-9a-f]{1,64}$/i : /^\d{1,64}$/;
  return digits.test(id) ? BigInt(isHexadecimal ? `0x${id}` : id).toString() : id;
}
