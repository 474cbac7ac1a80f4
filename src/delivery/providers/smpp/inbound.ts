import { decodeGsm, decodeUcs2 } from './alphabet.ts';
import { FieldError } from './fields.ts';
import type { Delivered } from './messages.ts';

/** The content begins with a user data header. */
const udhIndicator = 0x40;

/** The text of a deliver_sm, or undefined if it is no text: pictures, ring tones, commands for the phone. */
export function readText({ content, esm_class, data_coding }: Delivered): string | undefined {
  const octets = esm_class & udhIndicator ? withoutHeader(content) : content;
  switch (data_coding) {
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

function withoutHeader(content: Buffer): Buffer {
  const length = (content[0] ?? 0) + 1;
  if (length > content.length) throw new FieldError('the user data header is longer than the message');
  return content.subarray(length);
}
