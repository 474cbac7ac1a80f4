import type { PhoneRules } from '../../countries/phone-rules.ts';
import { t } from '../../language/text.ts';
import { formatForPeople, parsePhoneNumber } from '../../recipients/phone-number.ts';

const ukMobile = /^(?:(?:\+|00)?440?|0)?(7\d{3})(\d{6})$/;
/** An international number as it is stored: with the country code and without the plus. Short codes have fewer digits. */
const withCountryCode = /^[1-9]\d{8,14}$/;

/**
 * Formats a phone number for reading: in the UK "07700 900123", and "+33612345678" for other countries; elsewhere in the format of the
 * country. Other texts are returned unchanged.
 */
export function formatPhoneNumber(phone: PhoneRules, written: string): string {
  if (!phone.isBritish) {
    const parsed = parsePhoneNumber(phone, written);
    return parsed.ok ? formatForPeople(phone, parsed.number) : written;
  }
  const plain = written.replaceAll(/[\s()-]/g, '');
  const [, network, subscriber] = ukMobile.exec(plain) ?? [];
  if (network) return `0${network} ${subscriber}`;
  return withCountryCode.test(plain) ? `+${plain}` : written;
}

/** Formats the number of a person, who may have none. */
export function shownNumber(phone: PhoneRules, number: string | null, none: string = t('None')): string {
  return number === null ? none : formatPhoneNumber(phone, number);
}

/** Shows enough to recognise the number, but not to learn it. */
export function maskedNumber(number: string): string {
  return `••• ${number.replaceAll(/\D/g, '').slice(-3)}`;
}
