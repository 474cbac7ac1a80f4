import { asIs, type Text, t } from '../../../language/text.ts';
import type { SendingDomain } from '../../../sending-domains/sending-domains.ts';

type Way = SendingDomain['way'];

/** The state of a domain in one or two words. */
export const stateLabels: Record<
  SendingDomain['state'],
  { word: string; kind: 'sending' | 'delivered' | 'failed' | 'cancelled' }
> = {
  pending: { word: t('Not verified'), kind: 'sending' },
  verified: { word: t('Verified'), kind: 'delivered' },
  warning: { word: t('Verified, with a warning'), kind: 'delivered' },
  suspended: { word: t('Suspended'), kind: 'failed' },
  retired: { word: t('Retired'), kind: 'cancelled' },
};

export const wayLabels: Record<Way, Text> = {
  'signed-here': t('Pennypost signs the emails'),
  relay: t('Your mail server signs the emails'),
  provider: t('The email provider signs the emails'),
};

/** The checks, most important first. */
export const checkLabels = new Map<string, string>([
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

export const purposeLabels = new Map<string, string>([
  ['ownership', t('Ownership')],
  ['signature', t('Signature (DKIM)')],
  ['return-path', t('Return path')],
  ['policy', t('Policy (DMARC)')],
]);

/** What a check found, and what to do about it. */
const reasons = new Map<string, Text>([
  ['ok', t('As expected.')],
  ['dns-error', t('The name servers did not respond. Nothing changes until they do.')],
  ['record-missing', t('The record was not found.')],
  ['token-differs', t('The record has another value. Replace it.')],
  [
    'name-doubled',
    t(
      'The record is at the domain twice, such as x.council.example.council.example. Enter the name without the domain.',
    ),
  ],
  ['several-records', t('There are several records at this name. Keep one.')],
  ['syntax', t('The record has a mistake, so receivers ignore all of it. Replace it.')],
  ['wrong-version', t('The record does not begin with v=DKIM1. Replace it.')],
  ['hash-not-allowed', t('The record does not allow SHA-256 (h=). Remove that part.')],
  ['not-for-email', t('The record says that its key is not for email (s=). Remove that part.')],
  ['quoted', t('The value has quotation marks of its own. Enter it without them.')],
  [
    'key-cut',
    t(
      'The value was cut off. Enter the whole value, in parts of up to 255 characters if your name server asks for that.',
    ),
  ],
  ['no-key', t('The domain has no key.')],
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
  ['uses-ptr', t('The record uses “ptr”, which receivers may ignore. List addresses instead.')],
  ['near-lookup-limit', t('The record needs 9 or 10 look-ups. Receivers stop at 10.')],
  ['too-many-lookups', t('The record needs more than 10 look-ups, so receivers ignore it. Remove some includes.')],
  ['too-many-void-lookups', t('The record names more than 2 domains without records. Remove them.')],
  ['include-missing', t('The record includes a domain that has no SPF record. Remove it.')],
  ['redirect-missing', t('The record redirects to a domain that has no SPF record. Correct it.')],
  ['policy-none', t('The policy is “none”: receivers do not act on forged emails.')],
  ['policy-invalid', t('The policy cannot be read. Replace the record.')],
  ['no-mx', t('The domain has no MX record. Mail servers use its address instead.')],
  ['no-replies', t('The domain receives no mail, so replies get lost.')],
  ['null-mx', t('The domain says that it receives no mail.')],
  ['mx-elsewhere', t('Bounces go to a mail server that is not ours.')],
  ['mx-not-found', t('The mail server of the domain does not exist.')],
  ['mx-partly-missing', t('One of the mail servers of the domain does not exist.')],
  ['mx-is-alias', t('The MX record names an alias (CNAME). Enter the name that it points to.')],
  ['mx-is-address', t('The MX record has an address. Enter the name of the mail server.')],
  ['not-found', t('The domain does not exist.')],
  ['ptr-missing', t('A mail server has no name in DNS. Ask the people who run its network for a PTR record.')],
  ['ptr-not-confirmed', t('The name of a mail server points to another address.')],
  ['ptr-generic', t('The name of a mail server looks like that of a home connection.')],
  ['helo-not-a-name', t('The mail server does not greet with a full name. Set SMTP_EHLO_NAME.')],
  ['helo-differs', t('A mail server greets with a name that is not its name in DNS.')],
  ['no-tls', t('The mail server offers no encryption.')],
  ['old-tls', t('The mail server uses a version of TLS that is too old.')],
  ['certificate', t('The certificate of the mail server cannot be trusted. Replace it.')],
]);

/** Why a check could not be made. */
const notChecked = new Map<string, Text>([
  ['spf', t('Not checked: set SMTP_SERVERS.')],
  ['ptr', t('Not checked: set SMTP_SERVERS.')],
  ['mx', t('Not checked: set SMTP_RETURN_PATH.')],
  ['tls', t('Not checked: we could not reach the mail server.')],
]);

/** Describes the result of a check. */
export function reasonText({ check_name, reason }: { check_name: string; reason: string }, way: Way): Text {
  if (reason !== 'not-checked') return reasons.get(reason) ?? asIs(reason);
  const found = way === 'provider' ? undefined : notChecked.get(check_name);
  return found ?? t('Not checked: the provider takes care of it.');
}

/** Findings that do not fail a check. */
export const noteTexts = new Map<string, Text>([
  ['no-reports', t('Nobody gets reports about forged emails. Add rua=mailto: with an address.')],
  ['old-tags', t('The record has tags that are no longer used: pct, rf or ri.')],
  [
    'reports-not-authorised',
    t('Reports go to another domain, which has not agreed to receive them. Receivers will not send them.'),
  ],
]);
