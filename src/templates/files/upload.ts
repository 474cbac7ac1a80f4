import { invalidField } from '../../platform/failure.ts';

/** The bytes of a file that came as base64 inside JSON. */
export function readUpload(content: string): Buffer {
  const bytes = Buffer.from(content, 'base64');
  // Decoding skips whatever is not base64; encoding the result again shows whether something was skipped.
  if (
    bytes.length === 0 ||
    withoutPadding(bytes.toString('base64')) !== withoutPadding(content.replaceAll(/\s+/g, ''))
  ) {
    throw invalidField('content', 'Not valid base64.');
  }
  return bytes;
}

/** A pattern for the end of a text would be tried at every one of its characters. */
function withoutPadding(text: string): string {
  let end = text.length;
  while (text[end - 1] === '=') end -= 1;
  return text.slice(0, end);
}
