import type { Country } from '../countries/country.ts';
import type { PhoneRules } from '../countries/phone-rules.ts';
import { listHomePostage, postageLabel } from '../countries/postage.ts';
import { providers } from '../delivery/providers/providers.ts';
import { declared, formatted, type Text, t } from '../language/text.ts';
import { countsParts } from '../notifications/limits/daily-limits.ts';
import type { Platform } from '../platform/platform.ts';
import type { Channel } from '../protocol/channels.ts';
import { formatPhoneNumber } from './parts/phone-number.ts';

/** Names of the channels, singular and plural, at the start of a text and within one. `stamp` is the icon. */
export const channelLabels = {
  email: { stamp: 'email', name: t('Email'), names: t('Emails'), noun: t('email'), plural: t('emails') },
  sms: { stamp: 'text', name: t('Text'), names: t('Texts'), noun: t('text message'), plural: t('texts') },
  letter: { stamp: 'letter', name: t('Letter'), names: t('Letters'), noun: t('letter'), plural: t('letters') },
} as const satisfies Record<Channel, object>;

/** The order in which pages show the channels. */
export const shownChannels = ['email', 'sms', 'letter'] as const satisfies Channel[];

/** What a daily limit counts: messages of a channel, or parts of texts. */
type Counted = Channel | 'parts';

export function countedToday(
  { country, clock }: Pick<Platform, 'country' | 'clock'>,
  service: Parameters<typeof countsParts>[1],
  channel: Channel,
): Counted {
  return countsParts(country, service, channel, clock.now()) ? 'parts' : channel;
}

/** "47 texts left today" */
export function leftToday(counted: Counted, left: number): Text {
  return t(
    '{counted, select, email {{left, plural, =0 {No emails left today} one {# email left today} other {# emails left today}}} sms {{left, plural, =0 {No texts left today} one {# text left today} other {# texts left today}}} letter {{left, plural, =0 {No letters left today} one {# letter left today} other {# letters left today}}} other {{left, plural, =0 {No parts of texts left today} one {# part of texts left today} other {# parts of texts left today}}}}',
    { counted, left },
  );
}

/** Tabs that filter a list by channel. `buildUrl` returns the URL of the list of a channel. */
export function channelTabs(current: Channel | undefined, buildUrl: (channel: Channel | undefined) => string) {
  return [undefined, ...shownChannels].map((channel) => ({
    label: channel ? channelLabels[channel].name : t('All'),
    to: buildUrl(channel),
    isCurrent: channel === current,
  }));
}

const postageInSentence = new Map([
  ['first', t('first class')],
  ['second', t('second class')],
  ['economy', t('economy')],
  ['europe', t('to Europe')],
  ['rest-of-world', t('to the rest of the world')],
]);

/** Returns the postage of a letter as written within a sentence. Labels of other countries may be names, so they keep their capitals. */
export function postageName({ code, postage }: Pick<Country, 'code' | 'postage'>, stored: string): Text {
  return (code === 'gb' ? postageInSentence.get(stored) : undefined) ?? declared(postageLabel(postage, stored));
}

/** Returns the postage classes that people can choose. The class of letters abroad follows from their address. */
export function postageChoices({ postage }: Pick<Country, 'postage'>): { value: string; label: Text }[] {
  return listHomePostage(postage).map(({ id, label }) => ({ value: id, label: declared(label) }));
}

interface Addressed {
  notification_type: Channel;
  recipient: string;
}

/** Returns a recipient in one line: for a postal address, the first and last line. */
export function shortRecipient(phone: PhoneRules, { notification_type, recipient }: Addressed): string {
  if (notification_type === 'sms') return formatPhoneNumber(phone, recipient);
  if (notification_type === 'email') return recipient;
  const lines = recipient.split(/\r?\n/).filter((line) => line.trim() !== '');
  return lines.length > 1 ? `${lines[0]}, ${lines.at(-1)}` : (lines[0] ?? t('Not read yet'));
}

const providerNames = new Map<string, string>(providers.map(({ name, details }) => [name, details.display_name]));

/** Returns the display name. Letters have a printer instead of a provider. */
export function providerName(identifier: string): string {
  return providerNames.get(identifier) ?? (identifier === 'dvla' ? t('Printer') : identifier);
}

/** Formats a day as "Monday 16 November". */
export const weekdayAndDate = (day: string) =>
  formatted(({ dates }) => dates.write(day, { weekday: 'long', day: 'numeric', month: 'long' }));

/** Describes the print run of a letter, such as "Monday 16 November after 17:30". Without a time if printing is continuous. */
export function printDay({ letterDays, letter: { cutOff } }: Country, acceptedAt: string): Text {
  const day = weekdayAndDate(letterDays.printDay(new Date(acceptedAt)));
  return letterDays.isContinuous ? day : t('{day} after {time}', { day, time: cutOff ?? '' });
}

/** Says what happens to characters that a text message cannot contain. */
export function describeLost(characters: readonly string[]): Text {
  return t(
    '{count, plural, one {Texts cannot include {characters}. It will be sent as a question mark.} other {Texts cannot include {characters}. They will be sent as question marks.}}',
    { count: characters.length, characters: characters.join(' ') },
  );
}
