import type { PhoneRules } from '../../countries/phone-rules.ts';
import { t } from '../../language/text.ts';
import { formatForPeople, parsePhoneNumber } from '../../recipients/phone-number.ts';

const ukMobile = /^(?:(?:\+|00)?440?|0)?(7\d{3})(\d{6})$/;
/** A number from abroad as it is stored: with the country code and without its plus. Short codes have fewer digits. */
const withCountryCode = /^[1-9]\d{8,14}$/;

/**
 * A phone number as people read it: in the UK "07700 900123", and "+33612345678" from abroad; elsewhere as people of the country
 * write it. Anything else stays as it is.
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

/** The number of a person who may have none. */
export function shownNumber(phone: PhoneRules, number: string | null, none: string = t('None')): string {
  return number === null ? none : formatPhoneNumber(phone, number);
}

/** Enough to recognise it, too little to learn it. */
export function maskedNumber(number: string): string {
  return `••• ${number.replaceAll(/\D/g, '').slice(-3)}`;
}
