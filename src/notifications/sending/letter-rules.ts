import { Failure, invalid } from '../../platform/failure.ts';
import { decodeBase64 } from '../../platform/http/body/base64.ts';
import type { Platform } from '../../platform/platform.ts';
import { comparableKey } from '../../protocol/comparable-key.ts';
import { addressRules } from '../../recipients/address-rules.ts';
import { addressLinesFromPersonalisation, type PostalAddress } from '../../recipients/postal-address.ts';
import { postalAddressTexts } from '../../recipients/recipient-texts.ts';
import { maxQrCodeCharacters } from '../../rendering/letter/letter.ts';
import type { Personalisation } from '../../rendering/personalisation.ts';
import type { LetterTemplate } from '../../rendering/template.ts';
import type { SendContext } from './send-context.ts';

/** The limit of the official clients. */
export const maxLetterBytes = 5 * 1024 * 1024;
export const letterTooLarge = 'Letter must not be larger than 5MB';

// Base64 is a third longer than the data, plus line breaks.
const maxContentLength = 1.5 * maxLetterBytes;

/** Decodes a precompiled letter. A task checks the PDF later. */
export function decodeLetter(content: string): Buffer {
  if (content.length > maxContentLength) throw invalid(letterTooLarge);
  const decoded = decodeBase64(content, 'lenient');
  if (!decoded) throw invalid('Cannot decode letter content (invalid base64 encoding)');
  if (decoded.length > maxLetterBytes) throw invalid(letterTooLarge);
  return decoded;
}

export function refuseLongQrCodes(compiled: LetterTemplate, values: Personalisation): void {
  const [data] = compiled.longQrCodes(values);
  if (data === undefined) return;
  const message = 'Cannot create a usable QR code - the link is too long';
  throw new Failure('invalid', 'ValidationError', message, {
    problems: [
      {
        error: 'ValidationError',
        message,
        data,
        num_bytes: Buffer.byteLength(data),
        max_bytes: maxQrCodeCharacters,
      },
    ],
  });
}

export function readAddress(
  { country }: Pick<Platform, 'country'>,
  { service }: SendContext,
  values: Personalisation,
): PostalAddress {
  const rules = addressRules(country);
  const address = rules.parse(addressLinesFromPersonalisation(values));
  const reason = rules.check(address, { international: service.permissions.has('international_letters') });
  if (reason) throw new Failure('invalid', 'ValidationError', postalAddressTexts(country)[reason], { reason });
  return address;
}

/** Returns the address lines, which are shown with the letter even if the template does not use them. */
export function addressValues(values: Personalisation): Personalisation {
  return Object.fromEntries(
    Object.entries(values).filter(([name]) => /^(addressline[1-7]|postcode)$/.test(comparableKey(name))),
  );
}
