import { invalid } from '../../platform/failure.ts';
import { decodeBase64 } from '../../platform/http/body/base64.ts';

/** The limit of the official clients. */
export const maxLetterBytes = 5 * 1024 * 1024;
export const letterTooLarge = 'Letter must not be larger than 5MB';

// Base64 is a third longer than the data, plus line breaks.
const maxContentLength = 1.5 * maxLetterBytes;

/** Decodes a precompiled letter. A task checks the PDF itself later. */
export function decodeLetter(content: string): Buffer {
  if (content.length > maxContentLength) throw invalid(letterTooLarge);
  const decoded = decodeBase64(content, 'lenient');
  if (!decoded) throw invalid('Cannot decode letter content (invalid base64 encoding)');
  if (decoded.length > maxLetterBytes) throw invalid(letterTooLarge);
  return decoded;
}
