import { parameters } from './commands.ts';
import type { Delivered } from './messages.ts';

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
  message_id: string;
  /** Some message centres write the id in the text in another way than in their responses, and in the parameter as there. */
  idIn: 'parameter' | 'text';
  /** Written in capitals: DELIVRD, EXPIRED, DELETED, UNDELIV, ACCEPTD, REJECTD, ENROUTE or UNKNOWN, and perhaps others. */
  state: string;
  /** The code of the network or the message centre. */
  error: string | undefined;
}

/** From the parameters, or from the text of appendix B: `id:... stat:DELIVRD err:000`. Undefined if it has no id or no state. */
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

/** Names of the values of message_state. */
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
