import { isIP } from 'node:net';
import type { Channel } from '../../protocol/channels.ts';
import type { Found } from './hint.ts';
import { shorteners, type WebAddress, type Writing } from './plain-writing.ts';

/** Rules about web addresses, in emails and texts. */

export function findShortener({ addresses }: Writing): Found | undefined {
  return addressWith(addresses, isShortener);
}

function isShortener(host: string): boolean {
  const labels = host.split('.');
  return labels.length <= maxLabels && labels.some((_, index) => shorteners.has(labels.slice(index).join('.')));
}

/** A host with more labels is not a real name. The limit also bounds the work for a hostile text. */
const maxLabels = 20;

export function findIpLink({ addresses }: Writing): Found | undefined {
  return addressWith(addresses, (host) => isIP(host) !== 0);
}

function addressWith(addresses: readonly WebAddress[], test: (host: string) => boolean): Found | undefined {
  const address = addresses.find(({ host }) => test(host));
  return address && { found: address.host, place: address };
}

const vagueLinkTexts = new Set(['click here', 'click link', 'this link', 'more', 'here', 'link', 'click', 'read more']);

const vaguePhrase = /\bclick\s+(?:here|the\s+link)\b/i;

/** Finds link text, or text without a link, that does not say what the link does. */
export function findVagueLinkText({ text, addresses }: Writing): Found | undefined {
  const link = addresses.find(({ linkText }) => linkText && isVague(text.slice(linkText.start, linkText.end)));
  const phrase = vaguePhrase.exec(text);
  if (phrase && !(link?.linkText && link.linkText.start <= phrase.index)) {
    return { found: phrase[0], place: { start: phrase.index, end: phrase.index + phrase[0].length } };
  }
  if (!link?.linkText) return undefined;
  return { found: text.slice(link.linkText.start, link.linkText.end).trim(), place: link.linkText };
}

/** Ignores arrows, punctuation and emphasis around the words. */
function isVague(linkText: string): boolean {
  if (linkText.length > maxVagueLength) return false;
  return vagueLinkTexts.has((linkText.match(/\p{L}+/gu) ?? []).join(' ').toLowerCase());
}

const maxVagueLength = 60;

const maxAddresses: Record<Channel, number> = { sms: 1, email: 2, letter: Number.POSITIVE_INFINITY };

export function countAddresses({ addresses }: Writing, channel: Channel): Found | undefined {
  const bare = addresses.filter(({ linkText }) => linkText === null);
  const first = bare[maxAddresses[channel]];
  return first && { found: null, place: first, count: bare.length };
}
