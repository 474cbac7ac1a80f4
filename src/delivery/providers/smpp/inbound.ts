import type { InboundText } from '../reports.ts';
import { decodeGsm, decodeUcs2 } from './alphabet.ts';
import { parameters } from './commands.ts';
import { FieldError } from './fields.ts';
import type { Delivered } from './messages.ts';

/** The content begins with a user data header. */
const udhIndicator = 0x40;

type Read = Pick<InboundText, 'content' | 'part'>;

/** The text of a deliver_sm, or undefined if it is no text: pictures, ring tones, commands for the phone. */
export function readText(delivered: Delivered): Read | undefined {
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

/** With its length, which is the first octet. */
function headerOf(content: Buffer): Buffer {
  const length = (content[0] ?? 0) + 1;
  if (length > content.length) throw new FieldError('the user data header is longer than the message');
  return content.subarray(0, length);
}

/** From the header, with a number of 8 or 16 bits, or from the parameters. */
function partOf(header: Buffer, { parameters: given }: Delivered): InboundText['part'] {
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

function plausible(number = 0, total = 0, nth = 0): InboundText['part'] {
  return total > 1 && nth >= 1 && nth <= total ? { number, total, nth } : undefined;
}
