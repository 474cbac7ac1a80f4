import { decodeBase64 } from '../../platform/base64.ts';
import { Failure, invalid } from '../../platform/failure.ts';
import {
  addressLinesFromPersonalisation,
  checkPostalAddress,
  type PostalAddress,
  type PostalAddressReason,
  parsePostalAddress,
} from '../../recipients/postal-address.ts';
import { maxQrCodeCharacters } from '../../rendering/letter/letter.ts';
import { comparableKey } from '../../rendering/personalisation.ts';
import type { LetterTemplate } from '../../rendering/template.ts';
import type { SendContext } from './send-context.ts';
import type { Values } from './send-rules.ts';

export function refuseLongQrCodes(compiled: LetterTemplate, values: Values): void {
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

const tooShort = 'Address must be at least 3 lines';
const notAPostcode = 'Must be a real UK postcode';

const addressTexts: Record<PostalAddressReason, string> = {
  'address-is-empty': tooShort,
  'not-enough-address-lines': tooShort,
  'too-many-address-lines': 'Address must be no more than 7 lines',
  'invalid-address-line-1-or-2':
    'The first 2 lines of the address must both include at least one alphanumeric character',
  'has-country-for-bfpo-address': 'The last line of a BFPO address must not be a country.',
  'cant-send-international-letters': notAPostcode,
  'not-a-real-uk-postcode': notAPostcode,
  'not-a-real-uk-postcode-or-country': 'Last line of address must be a real UK postcode or another country',
  'invalid-char-in-address':
    'Address lines must not start with any of the following characters: @ ( ) = [ ] ” \\ / , < >',
  'no-fixed-abode-address': 'Must be a real address',
};

export function readAddress({ service }: SendContext, values: Values): PostalAddress {
  const address = parsePostalAddress(addressLinesFromPersonalisation(values));
  const reason = checkPostalAddress(address, { international: service.permissions.has('international_letters') });
  if (reason) throw new Failure('invalid', 'ValidationError', addressTexts[reason]);
  return address;
}

/** Address lines, which are shown with the letter even if the template does not use them. */
export function addressValues(values: Values): Values {
  return Object.fromEntries(
    Object.entries(values).filter(([name]) => /^(addressline[1-7]|postcode)$/.test(comparableKey(name))),
  );
}

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
