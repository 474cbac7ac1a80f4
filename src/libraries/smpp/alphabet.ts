/** The default alphabet (GSM 03.38) with one character per octet, as SMPP carries it, and UCS-2. */

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

/** The octets of each character: one, or two with the escape. They must not be torn apart. */
export function encodeGsm(text: string): Buffer[] {
  return Array.from(text, (character) => octetsByCharacter.get(character) ?? unknown);
}

export function decodeGsm(octets: Buffer): string {
  let text = '';
  for (let at = 0; at < octets.length; at += 1) {
    const code = octets[at] ?? 0;
    if (code !== escapeCode) {
      text += basic[code] ?? '?';
      continue;
    }
    at += 1;
    const next = octets[at];
    // A phone that does not know an escaped character shows the one of the basic table.
    if (next !== undefined) text += extension.get(next) ?? basic[next] ?? '?';
  }
  return text;
}

/** The octets of each character, in big-endian order. */
export function encodeUcs2(text: string): Buffer[] {
  return Array.from(text, (character) => Buffer.from(character, 'utf16le').swap16());
}

export function decodeUcs2(octets: Buffer): string {
  const whole = octets.subarray(0, octets.length - (octets.length % 2));
  return Buffer.from(whole).swap16().toString('utf16le');
}
