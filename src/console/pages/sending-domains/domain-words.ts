import { t } from '../../../language/text.ts';
import type { SendingDomain } from '../../../sending-domains/sending-domains.ts';

/** What a domain is, in one or two words. */
export const stateWords: Record<
  SendingDomain['state'],
  { word: string; kind: 'sending' | 'delivered' | 'failed' | 'cancelled' }
> = {
  pending: { word: t('Not verified'), kind: 'sending' },
  verified: { word: t('Verified'), kind: 'delivered' },
  warning: { word: t('Verified, with a warning'), kind: 'delivered' },
  suspended: { word: t('Suspended'), kind: 'failed' },
  retired: { word: t('Retired'), kind: 'cancelled' },
};

export const wayWords: Record<SendingDomain['way'], string> = {
  'signed-here': t('Pennypost signs the emails'),
  relay: t('Your mail server signs the emails'),
  provider: t('The email provider signs the emails'),
};

/** The checks, in the order in which they matter. */
export const checkWords = new Map<string, string>([
  ['ownership', t('Ownership')],
  ['dkim', t('Signature (DKIM)')],
  ['provider-records', t('Records of the provider')],
  ['alignment', t('Signature matches the sender')],
  ['spf', t('Servers that can send (SPF)')],
  ['dmarc', t('Policy (DMARC)')],
  ['mx', t('Bounces arrive (MX)')],
  ['from-domain', t('Replies arrive')],
  ['ptr', t('Names of the servers (PTR)')],
  ['tls', t('Encrypted connection (TLS)')],
]);

export const purposeWords = new Map<string, string>([
  ['ownership', t('Ownership')],
  ['signature', t('Signature (DKIM)')],
  ['return-path', t('Return path')],
  ['policy', t('Policy (DMARC)')],
]);

/** What was found, where a reason alone would not tell people what to do. */
const reasons = new Map<string, string>([
  ['ok', t('As expected.')],
  ['not-checked', t('Not checked: a setting of this installation is missing.')],
  ['dns-error', t('The name servers did not answer. Nothing changes until they do.')],
  ['record-missing', t('The record was not found.')],
  ['token-differs', t('The record has another value. Replace it.')],
  [
    'name-doubled',
    t(
      'The record is at the domain twice, such as x.council.example.council.example. Enter the name without the domain.',
    ),
  ],
  ['several-records', t('There are several records at this name. Keep one.')],
  ['quoted', t('The value has quotation marks of its own. Enter it without them.')],
  [
    'key-cut',
    t('The value was cut. Enter it whole, in parts of up to 255 characters if your name server asks for that.'),
  ],
  ['key-differs', t('The record has another key. Replace it.')],
  ['key-missing', t('The record has no key. Replace it.')],
  ['key-invalid', t('The key in the record cannot be read. Replace it.')],
  ['revoked', t('The record says that the key is revoked. Replace it.')],
  ['wrong-key-type', t('The record is for another type of key. Replace it.')],
  ['testing', t('The record says that it is a test (t=y). Remove that part.')],
  ['short-key', t('The key is shorter than 2,048 bits. Change the key.')],
  ['record-differs', t('A record has another value. Replace it.')],
  ['provider-not-verified', t('The provider has not verified the domain yet.')],
  ['not-aligned', t('Neither the signature nor the return path belongs to the domain.')],
  ['dkim-only', t('The signature belongs to the domain, the return path does not.')],
  ['spf-only', t('The return path belongs to the domain, the signature does not.')],
  ['not-listed', t('The record does not list a server that sends.')],
  ['allows-everyone', t('The record lets every server send. End it with -all or ~all.')],
  ['policy-none', t('The policy is “none”: receivers do not act on false emails.')],
  ['policy-invalid', t('The policy cannot be read. Replace the record.')],
  ['no-mx', t('The domain has no mail server.')],
  ['no-replies', t('The domain receives no mail, so replies get lost.')],
  ['null-mx', t('The domain says that it receives no mail.')],
  ['mx-elsewhere', t('Bounces go to another mail server.')],
  ['mx-not-found', t('The mail server of the domain does not exist.')],
  ['not-found', t('The domain does not exist.')],
]);

/** A sentence for what a check found. A reason without one is a technical word, which is better than nothing. */
export function reasonWords(reason: string): string {
  return reasons.get(reason) ?? `${reason.replaceAll('-', ' ')}.`.replace(/^./, (letter) => letter.toUpperCase());
}
