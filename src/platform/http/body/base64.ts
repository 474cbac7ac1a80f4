const plainBase64 = /^[A-Za-z0-9+/]*={0,2}$/;
const onlyAscii = /^\p{ASCII}*$/u;

/**
 * - `lenient` ignores other characters and everything after the padding, but requires correct padding.
 * - `plain` is the same, but rejects other characters.
 * - `canonical` ignores white space, needs no padding, and rejects every text that encoding would not produce.
 */
type Base64Rules = 'lenient' | 'plain' | 'canonical';

export function decodeBase64(text: string, rules: Base64Rules): Buffer | undefined {
  if (rules === 'canonical') return decodeCanonical(text);
  return rules === 'lenient' || plainBase64.test(text) ? decodeLenient(text) : undefined;
}

const padding = '='.charCodeAt(0);
const isDigit = new Uint8Array(256);
for (const digit of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/')
  isDigit[digit.charCodeAt(0)] = 1;

function decodeLenient(text: string): Buffer | undefined {
  if (text.length % 4 === 0 && plainBase64.test(text)) return Buffer.from(text, 'base64');
  if (!onlyAscii.test(text)) return undefined;
  const bytes = Buffer.from(text, 'latin1');
  let digits = 0;
  let pads = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] as number;
    if (isDigit[byte] === 1) {
      // Compacts in place: bytes already read are no longer needed.
      bytes[digits] = byte;
      digits += 1;
      pads = 0;
    } else if (byte === padding && digits % 4 >= 2) {
      pads += 1;
      if ((digits % 4) + pads >= 4) return decode();
    }
  }
  return digits % 4 === 0 ? decode() : undefined;

  function decode(): Buffer {
    return Buffer.from(bytes.toString('latin1', 0, digits), 'base64');
  }
}

/** Decoding skips invalid characters; encoding the result again reveals whether any were skipped. */
function decodeCanonical(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64');
  return withoutPadding(bytes.toString('base64')) === withoutPadding(text.replaceAll(/\s+/g, '')) ? bytes : undefined;
}

/** Not a regular expression: one that is anchored at the end is tried at every character, which is quadratic. */
function withoutPadding(text: string): string {
  let end = text.length;
  while (text[end - 1] === '=') end -= 1;
  return text.slice(0, end);
}
