import { invalidField } from '../platform/failure.ts';

/** The bytes of a file that came as base64 inside JSON. */
export function readUpload(content: string): Buffer {
  const bytes = Buffer.from(content, 'base64');
  // Decoding skips whatever is not base64; encoding the result again shows whether something was skipped.
  if (
    bytes.length === 0 ||
    bytes.toString('base64').replace(/=+$/, '') !== content.replaceAll(/\s/g, '').replace(/=+$/, '')
  ) {
    throw invalidField('content', 'Not valid base64.');
  }
  return bytes;
}
