import { invalidField } from '../../platform/failure.ts';
import { decodeBase64 } from '../../platform/http/body/base64.ts';

/** Decodes a file in base64. */
export function readUpload(content: string): Buffer {
  const bytes = decodeBase64(content, 'canonical');
  if (!bytes || bytes.length === 0) throw invalidField('content', 'Not valid base64.');
  return bytes;
}
