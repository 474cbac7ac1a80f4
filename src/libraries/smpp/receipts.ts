import { parameters } from './commands.ts';
import type { Delivered } from './messages.ts';

/** Bits of a deliver_sm's esm_class: a delivery receipt, and an intermediate notification. */
const messageTypes = 0x3c;
const receiptType = 0x04;
const noticeType = 0x20;

/** Some message centres set the parameter but not the type. */
export function isReceipt({ esm_class, parameters: given }: Delivered): boolean {
  const type = esm_class & messageTypes;
  return type === receiptType || type === noticeType || given.has(parameters.receipted_message_id);
}

interface ReadReceipt {
  message_id: string;
  /** In the text, some message centres write the id in another format than in their responses; the parameter has the same format. */
  idIn: 'parameter' | 'text';
  /** In capitals: DELIVRD, EXPIRED, DELETED, UNDELIV, ACCEPTD, REJECTD, ENROUTE, UNKNOWN, or a vendor's own state. */
  state: string;
  /** The error code of the network or the message centre. */
  error: string | undefined;
}

/** Reads the parameters, or the text format of appendix B: `id:... stat:DELIVRD err:000`. Returns undefined without id or state. */
export function readReceipt({ content, parameters: given }: Delivered): ReadReceipt | undefined {
  const text = fieldsOf(content.toString('latin1'));
  const parameter = given.get(parameters.receipted_message_id);
  const message_id = parameter ? untilZero(parameter) : text.get('id');
  const number = given.get(parameters.message_state)?.[0];
  const state = number === undefined ? text.get('stat')?.toUpperCase() : stateNames.get(number);
  if (!message_id || !state) return undefined;
  const code = given.get(parameters.network_error_code);
  const error = text.get('err') ?? (code?.length === 3 ? String(code.readUInt16BE(1)) : undefined);
  return { message_id, idIn: parameter ? 'parameter' : 'text', state, error };
}

/** The state name of each message_state value. */
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

/** Two-word names come before the single words that they end with. */
const field = /\b(id|sub|dlvrd|submit date|done date|stat|err):\s*(\S+)/gi;

/** The text after `text:` is the beginning of the message, which may contain anything. */
function fieldsOf(text: string): Map<string, string> {
  const [head = ''] = text.split(/\btext:/i);
  return new Map(Array.from(head.matchAll(field), ([, name = '', value = '']) => [name.toLowerCase(), value]));
}

function untilZero(value: Buffer): string {
  const end = value.indexOf(0);
  return value.toString('latin1', 0, end < 0 ? value.length : end);
}
