import { isIPv4, isIPv6 } from 'node:net';
import { ipv6Digits } from './address.ts';

/** The syntax of SPF records (RFC 7208, section 4.6). A single error invalidates the whole record. */
export interface SpfRecord {
  mechanisms: Mechanism[];
  redirect: string | undefined;
}

export interface Mechanism {
  qualifier: '+' | '-' | '~' | '?';
  name: 'all' | 'include' | 'a' | 'mx' | 'ptr' | 'ip4' | 'ip6' | 'exists';
  /** A domain, possibly with macros, or an address. */
  value: string | undefined;
  prefix4: number;
  prefix6: number;
}

export function isSpfRecord(text: string): boolean {
  return /^v=spf1( |$)/i.test(text);
}

/** Returns undefined if the record has an error. */
export function parseSpfRecord(text: string): SpfRecord | undefined {
  if (/[^\x20-\x7e]/.test(text)) return undefined;
  const mechanisms: Mechanism[] = [];
  const modifiers = new Map<string, string>();
  for (const term of text.split(' ').filter(Boolean).slice(1)) {
    const [, name = '', value = ''] = /^([a-z][a-z\d._-]*)=(.*)$/i.exec(term) ?? [];
    if (name === '') {
      const mechanism = parseMechanism(term);
      if (!mechanism) return undefined;
      mechanisms.push(mechanism);
    } else {
      const modifier = name.toLowerCase();
      const isKnown = modifier === 'redirect' || modifier === 'exp';
      if (!hasCorrectMacros(value) || (isKnown && (modifiers.has(modifier) || !isDomainSpec(value)))) return undefined;
      modifiers.set(modifier, value);
    }
  }
  const redirect = modifiers.get('redirect');
  // `all` matches everything, so a redirect next to it is never followed.
  const isUsed = redirect !== undefined && !mechanisms.some(({ name }) => name === 'all');
  return { mechanisms, redirect: isUsed ? redirect : undefined };
}

function parseMechanism(term: string): Mechanism | undefined {
  const parts = /^([+\-~?]?)(all|include|a|mx|ptr|ip4|ip6|exists)(?::(.*?))?(?:\/(\d+))?(?:\/\/(\d+))?$/i.exec(term);
  if (!parts) return undefined;
  const [, qualifier, written = '', value, first, second] = parts;
  const name = written.toLowerCase() as Mechanism['name'];
  const isIp6 = name === 'ip6';
  const prefix4 = isIp6 ? 32 : prefixOf(first, 32);
  const prefix6 = prefixOf(isIp6 ? first : second, 128);
  if (prefix4 === undefined || prefix6 === undefined) return undefined;
  const isCorrect = {
    all: () => value === undefined && first === undefined && second === undefined,
    include: () => isDomainSpec(value) && first === undefined && second === undefined,
    exists: () => isDomainSpec(value) && first === undefined && second === undefined,
    ptr: () => (value === undefined || isDomainSpec(value)) && first === undefined && second === undefined,
    a: () => value === undefined || isDomainSpec(value),
    mx: () => value === undefined || isDomainSpec(value),
    ip4: () => isIPv4(value ?? '') && second === undefined,
    ip6: () => isIPv6(value ?? '') && second === undefined,
  }[name]();
  if (!isCorrect) return undefined;
  return { qualifier: (qualifier || '+') as Mechanism['qualifier'], name, value, prefix4, prefix6 };
}

/** Returns undefined if there are too many bits or leading zeros. */
function prefixOf(text: string | undefined, maxBits: number): number | undefined {
  if (text === undefined) return maxBits;
  return Number(text) <= maxBits && !/^0\d/.test(text) ? Number(text) : undefined;
}

/** It ends with a top-level domain, which is never a number, or with a macro. */
function isDomainSpec(value: string | undefined): boolean {
  if (value === undefined || !hasCorrectMacros(value)) return false;
  return /\.(?=[\d-]*[a-z-])[a-z\d](?:[a-z\d-]*[a-z\d])?\.?$|%\{[^}]*\}$/i.test(value);
}

const macro = /%\{[slodiphcrtv]\d*r?[.\-+,/_=]*\}|%[%_-]/gi;

function hasCorrectMacros(value: string): boolean {
  return !value.replaceAll(macro, '').includes('%') && !/%\{[a-z]0+[^1-9]/i.test(value);
}

/** The values of macros (RFC 7208, section 7). */
interface MacroValues {
  address: string;
  domain: string;
  helo: string;
  sender: string;
}

/** Expands the name in a `domain-spec`. If it is too long, labels are removed from its beginning. */
export function expandMacros(spec: string, values: MacroValues): string {
  const name = spec.replaceAll(macro, (found) => {
    if (found === '%%') return '%';
    if (found === '%_') return ' ';
    if (found === '%-') return '%20';
    const [, letter = '', count, reversed, delimiters = ''] = /^%\{(\w)(\d*)(r?)([^}]*)\}$/i.exec(found) ?? [];
    const separators = delimiters === '' ? '.' : new RegExp(`[${delimiters.replaceAll(/[-\]\\^]/g, '\\$&')}]`);
    const parts = macroValue(letter.toLowerCase(), values).split(separators);
    if (reversed) parts.reverse();
    const kept = parts.slice(count ? -Number(count) : 0).join('.');
    return letter === letter.toUpperCase() ? encodeURIComponent(kept) : kept;
  });
  const labels = name.replace(/\.$/, '').split('.');
  while (labels.join('.').length > 253) labels.shift();
  return labels.join('.').toLowerCase();
}

function macroValue(letter: string, { address, domain, helo, sender }: MacroValues): string {
  const [local = '', host = ''] = sender.split('@');
  switch (letter) {
    case 's':
      return sender;
    case 'l':
      return local;
    case 'o':
      return host;
    case 'd':
      return domain;
    case 'i':
      return isIPv4(address) ? address : [...ipv6Digits(address)].join('.');
    case 'h':
      return helo;
    case 'v':
      return isIPv4(address) ? 'in-addr' : 'ip6';
    default:
      // `p` is deprecated; the other letters are only for explanations.
      return 'unknown';
  }
}
