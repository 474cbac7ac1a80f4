import { invalidField } from '../../platform/failure.ts';

/** Decodes a file in base64. */
export function readUpload(content: string): Buffer {
  const bytes = Buffer.from(content, 'base64');
  // Decoding skips invalid characters; encoding the result again reveals whether any were skipped.
  if (
    bytes.length === 0 ||
    withoutPadding(bytes.toString('base64')) !== withoutPadding(content.replaceAll(/\s+/g, ''))
  ) {
    throw invalidField('content', 'Not valid base64.');
  }
  return bytes;
}

/** Not a regular expression: an end-anchored one is tried at every character, which is quadratic. */
function withoutPadding(text: string): string {
  let end = text.length;
  while (text[end - 1] === '=') end -= 1;
  return text.slice(0, end);
}
