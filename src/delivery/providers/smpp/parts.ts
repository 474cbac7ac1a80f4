import type { TextMessage } from '../provider.ts';
import { encodeGsm, encodeUcs2 } from './alphabet.ts';
import { parameters } from './commands.ts';
import type { Payload } from './messages.ts';

export const longMessageForms = ['udh', 'udh16', 'sar', 'payload'] as const;
/** How a text is sent that does not fit into one message. */
type LongMessageForm = (typeof longMessageForms)[number];

/** Lengths in octets as SMPP carries them: one for a GSM character, two for UCS-2. */
const lengths = {
  gsm7: { data_coding: 0, single: 160, part: { udh: 153, udh16: 152, sar: 153 } },
  ucs2: { data_coding: 8, single: 140, part: { udh: 134, udh16: 132, sar: 134 } },
};

/** The short_message contains a user data header. */
const udhIndicator = 0x40;

/** The submit_sm contents of a text, in the order to send them. All attempts have the same numbers. */
export function payloadsOf(
  { text, encoding, reference }: Pick<TextMessage, 'text' | 'encoding' | 'reference'>,
  form: LongMessageForm,
): Payload[] {
  const { data_coding, single, part } = lengths[encoding];
  const characters = encoding === 'ucs2' ? encodeUcs2(text) : encodeGsm(text);
  const whole = Buffer.concat(characters);
  const plain = { esm_class: 0, data_coding, short_message: whole, parameters: [] };
  if (whole.length <= single) return [plain];
  if (form === 'payload') {
    return [{ ...plain, short_message: Buffer.alloc(0), parameters: [[parameters.message_payload, whole]] }];
  }
  const pieces = cut(characters, part[form]);
  const number = Number.parseInt(reference.slice(-4), 16);
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
        // Eight bits of the number: with more, the message centre would need a longer header.
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
