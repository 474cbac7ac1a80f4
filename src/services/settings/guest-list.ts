import type { PhoneRules } from '../../countries/phone-rules.ts';
import { type Db, inTransaction } from '../../platform/db/database.ts';
import { refuseUnlessExists } from '../../platform/db/exists.ts';
import { invalid } from '../../platform/failure.ts';
import type { Platform } from '../../platform/platform.ts';
import { parseEmailAddress } from '../../recipients/email-address.ts';
import { checkPhonePermissions, parsePhoneNumber } from '../../recipients/phone-number.ts';
import { normaliseRecipient } from '../../recipients/recipient.ts';
import { getServiceForUpdate } from '../services.ts';
import { deleteGuest, type GuestType, replaceGuests, selectAllGuests, selectGuests } from './guest-list.sql.ts';

/** Recipients that a service in trial mode can send to, in addition to its team. Entries are stored exactly as typed. */
interface GuestList {
  email_addresses: string[];
  phone_numbers: string[];
}

export async function getGuestList(db: Db, serviceId: string): Promise<GuestList> {
  await refuseUnlessExists(db, 'services', serviceId);
  const guests = await selectGuests(db, serviceId);
  const ofType = (type: GuestType) =>
    guests.filter(({ recipient_type }) => recipient_type === type).map(({ recipient }) => recipient);
  return { email_addresses: ofType('email'), phone_numbers: ofType('mobile') };
}

export async function replaceGuestList({ db, country }: Platform, serviceId: string, list: GuestList): Promise<void> {
  await refuseUnlessExists(db, 'services', serviceId);
  const [wrong] = listWrongGuests(country.phone, list);
  if (wrong) throw invalid(`Invalid guest list: "${wrong.text}" is not a valid email address or phone number`);
  await inTransaction(db, async (tx) => {
    await getServiceForUpdate(tx, serviceId);
    await replaceGuests(tx, serviceId, [...rows('mobile', list.phone_numbers), ...rows('email', list.email_addresses)]);
  });
}

/** Lists the entries that cannot be recipients, numbers first. */
export function listWrongGuests(phone: PhoneRules, list: GuestList): { field: keyof GuestList; text: string }[] {
  const numbers = list.phone_numbers.filter((text) => !isMobileNumber(phone, text));
  const addresses = list.email_addresses.filter((text) => !parseEmailAddress(text).ok);
  return [
    ...numbers.map((text) => ({ field: 'phone_numbers' as const, text })),
    ...addresses.map((text) => ({ field: 'email_addresses' as const, text })),
  ];
}

function isMobileNumber(phone: PhoneRules, text: string): boolean {
  const parsed = parsePhoneNumber(phone, text);
  return parsed.ok && checkPhonePermissions(parsed.number, { international: true, landline: false }) === undefined;
}

function rows(recipient_type: GuestType, recipients: string[]) {
  return recipients.map((recipient, position) => ({ recipient_type, position, recipient }));
}

/** Finds the lists that contain this address or number in any format. `recipient` is normalised. */
export async function findGuests(db: Db, phone: PhoneRules, recipient: string, serviceId: string | undefined) {
  const guests = await selectAllGuests(db, serviceId);
  return guests.filter((guest) => normaliseRecipient(phone, guest.recipient) === recipient);
}

export async function eraseGuests(
  db: Db,
  phone: PhoneRules,
  recipient: string,
  serviceId: string | undefined,
): Promise<number> {
  const guests = await findGuests(db, phone, recipient, serviceId);
  for (const guest of guests) await deleteGuest(db, guest);
  return guests.length;
}
