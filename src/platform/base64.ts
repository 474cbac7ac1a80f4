const plainBase64 = /^[A-Za-z0-9+/]*={0,2}$/;
const onlyAscii = /^\p{ASCII}*$/u;

/** Characters that do not belong are passed over, and so is whatever follows the padding; the padding has to be right. */
export function decodeBase64(text: string): Buffer | undefined {
  if (text.length % 4 === 0 && plainBase64.test(text)) return Buffer.from(text, 'base64');
  if (!onlyAscii.test(text)) return undefined;
  let digits = '';
  let padding = 0;
  for (const character of text.replaceAll(/[^A-Za-z0-9+/=]/g, '')) {
    const position = digits.length % 4;
    if (character !== '=') {
      digits += character;
      padding = 0;
    } else if (position >= 2) {
      padding += 1;
      if (position + padding >= 4) return Buffer.from(digits, 'base64');
    }
  }
  return digits.length % 4 === 0 ? Buffer.from(digits, 'base64') : undefined;
}
