import { parameters } from './commands.ts';
import { type Delivered, FieldError, type Payload } from './messages.ts';

export const longMessageForms = ['udh', 'udh16', 'sar', 'payload'] as const;
/** How a text is sent that does not fit into one message. */
type LongMessageForm = (typeof longMessageForms)[number];

/** Lengths in octets as SMPP carries them: one for a GSM character, two for UCS-2. */
const lengths = {
  gsm7: { data_coding: 0, single: 160, part: { udh: 153, udh16: 152, sar: 153 } },
  ucs2: { data_coding: 8, single: 140, part: { udh: 134, udh16: 132, sar: 134 } },
};

/** The esm_class bit for a user data header in the short_message. */
const udhIndicator = 0x40;

interface Text {
  text: string;
  encoding: keyof typeof lengths;
  /** A 16-bit reference number, the same in all parts of this text and in every attempt. */
  number: number;
}

/** Returns the submit_sm contents of a text, in the order to send them. */
export function payloadsOf({ text, encoding, number }: Text, form: LongMessageForm): Payload[] {
  const { data_coding, single, part } = lengths[encoding];
  const characters = encoding === 'ucs2' ? encodeUcs2(text) : encodeGsm(text);
  const whole = Buffer.concat(characters);
  const plain: Payload = { esm_class: 0, data_coding, short_message: whole, parameters: [] };
  if (whole.length <= single) return [plain];
  if (form === 'payload') {
    return [{ ...plain, short_message: Buffer.alloc(0), parameters: [[parameters.message_payload, whole]] }];
  }
  const pieces = cut(characters, part[form]);
  return pieces.map((piece, index) => ({
    ...plain,
    ...numbered(piece, { form, number, total: pieces.length, nth: index + 1 }),
  }));
}

interface PartNumber {
  form: Exclude<LongMessageForm, 'payload'>;
  /** The same in all parts of a message. */
  number: number;
  total: number;
  nth: number;
}

function numbered(piece: Buffer, { form, number, total, nth }: PartNumber): Partial<Payload> {
  if (form === 'sar') {
    return {
      short_message: piece,
      parameters: [
        // Only eight bits of the number: with more, the message centre would need a longer header.
        [parameters.sar_msg_ref_num, Buffer.from([0, number & 0xff])],
        [parameters.sar_total_segments, Buffer.from([total])],
        [parameters.sar_segment_seqnum, Buffer.from([nth])],
      ],
    };
  }
  const header =
    form === 'udh' ? [5, 0, 3, number & 0xff, total, nth] : [6, 8, 4, number >> 8, number & 0xff, total, nth];
  return { esm_class: udhIndicator, short_message: Buffer.concat([Buffer.from(header), piece]) };
}

function cut(characters: Buffer[], size: number): Buffer[] {
  const pieces: Buffer[][] = [[]];
  let length = 0;
  for (const character of characters) {
    if (length + character.length > size) {
      pieces.push([]);
      length = 0;
    }
    pieces.at(-1)?.push(character);
    length += character.length;
  }
  return pieces.map((piece) => Buffer.concat(piece));
}

interface ReceivedText {
  content: string;
  /** Set if the text is one of several parts. */
  part: TextPart | undefined;
}

interface TextPart {
  /** The same in all parts of a text. */
  number: number;
  total: number;
  nth: number;
}

/** Returns the text of a deliver_sm, or undefined if it is not a text: pictures, ring tones, commands for the phone. */
export function readText(delivered: Delivered): ReceivedText | undefined {
  const { content, esm_class, data_coding } = delivered;
  const header = esm_class & udhIndicator ? headerOf(content) : Buffer.alloc(0);
  const text = decode(content.subarray(header.length), data_coding);
  return text === undefined ? undefined : { content: text, part: partOf(header, delivered) };
}

function decode(octets: Buffer, dataCoding: number): string | undefined {
  switch (dataCoding) {
    case 0:
      return decodeGsm(octets);
    case 1:
    case 3:
      return octets.toString('latin1');
    case 8:
      return decodeUcs2(octets);
    default:
      return undefined;
  }
}

/** Returns the header including its length, which is the first octet. */
function headerOf(content: Buffer): Buffer {
  const length = (content[0] ?? 0) + 1;
  if (length > content.length) throw new FieldError('the user data header is longer than the message');
  return content.subarray(0, length);
}

/** Reads the part from the header, with an 8-bit or 16-bit number, or from the parameters. */
function partOf(header: Buffer, { parameters: given }: Delivered): TextPart | undefined {
  for (let at = 1; at + 2 <= header.length; at += 2 + (header[at + 1] ?? 0)) {
    const value = header.subarray(at + 2, at + 2 + (header[at + 1] ?? 0));
    if (header[at] === 0 && value.length === 3) return plausible(value[0], value[1], value[2]);
    if (header[at] === 8 && value.length === 4) return plausible(value.readUInt16BE(0), value[2], value[3]);
  }
  const number = given.get(parameters.sar_msg_ref_num);
  if (number?.length !== 2) return undefined;
  const total = given.get(parameters.sar_total_segments)?.[0];
  return plausible(number.readUInt16BE(0), total, given.get(parameters.sar_segment_seqnum)?.[0]);
}

function plausible(number = 0, total = 0, nth = 0): TextPart | undefined {
  return total > 1 && nth >= 1 && nth <= total ? { number, total, nth } : undefined;
}

/** Encodes the default alphabet (GSM 03.38) with one character per octet, as SMPP does, and UCS-2. */

const escapeCode = 0x1b;
const basic = [
  ...'@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞ\u001bÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?',
  ...'¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà',
];
const extension = new Map<number, string>([
  [0x0a, '\f'],
  [0x14, '^'],
  [0x28, '{'],
  [0x29, '}'],
  [0x2f, '\\'],
  [0x3c, '['],
  [0x3d, '~'],
  [0x3e, ']'],
  [0x40, '|'],
  [0x65, '€'],
]);

const octetsByCharacter = new Map<string, Buffer>([
  ...basic.map((character, code) => [character, Buffer.from([code])] as const),
  ...[...extension].map(([code, character]) => [character, Buffer.from([escapeCode, code])] as const),
]);
const unknown = Buffer.from('?');

/** Returns the octets of each character: one, or two with the escape, which must stay in the same part. */
function encodeGsm(text: string): Buffer[] {
  return Array.from(text, (character) => octetsByCharacter.get(character) ?? unknown);
}

function decodeGsm(octets: Buffer): string {
  let text = '';
  for (let at = 0; at < octets.length; at += 1) {
    const code = octets[at] ?? 0;
    if (code !== escapeCode) {
      text += basic[code] ?? '?';
      continue;
    }
    at += 1;
    const next = octets[at];
    // A phone that does not know an escaped character shows the character of the basic table.
    if (next !== undefined) text += extension.get(next) ?? basic[next] ?? '?';
  }
  return text;
}

/** Returns the octets of each character, in big-endian order. */
function encodeUcs2(text: string): Buffer[] {
  return Array.from(text, (character) => Buffer.from(character, 'utf16le').swap16());
}

function decodeUcs2(octets: Buffer): string {
  const whole = octets.subarray(0, octets.length - (octets.length % 2));
  return Buffer.from(whole).swap16().toString('utf16le');
}
