import { decodeHTMLStrict } from 'entities';

/** The lengths are bounded, so that a megabyte of ampersands takes linear time. The longest entity name in HTML has 31 letters. */
const entitySource = '&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});';
const terminatedEntity = new RegExp(entitySource, 'g');
const entityOrSpecial = new RegExp(`${entitySource}|[&<>]`, 'g');

/** Turns `&pound;` into `£`. Text without a semicolon, or that is not an entity, is unchanged. */
export function decodeEntities(text: string): string {
  return text.includes('&') ? text.replace(terminatedEntity, decodeHTMLStrict) : text;
}

/**
 * Escapes text for use between tags. Entities are decoded first, so that they cannot bypass the escaping. `&nbsp;` and `&amp;` are kept:
 * people write them on purpose, and they are harmless.
 */
export function escapeHtml(text: string): string {
  return /[&<>]/.test(text) ? text.replace(entityOrSpecial, escapeOne) : text;
}

function escapeOne(match: string): string {
  if (match === '&nbsp;' || match === '&amp;') return match;
  if (match.length === 1) return escapeCharacters(match);
  return escapeCharacters(decodeHTMLStrict(match));
}

function escapeCharacters(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
}

/** Escapes the quotes of already escaped text for a double-quoted attribute. */
export function escapeQuotes(escaped: string): string {
  return escaped.replace(/"/g, '&quot;');
}

const knownScheme = /^(?:https?|ftp|file|mailto|tel):/i;
const toEncode = /[^A-Za-z0-9_.\-~:/?#=&;%]+/g;
const loneSurrogate = /\p{Surrogate}/gu;

/**
 * Returns a URL for a double-quoted attribute. A URL without an allowed scheme is treated as a web address, so `javascript:` becomes a host
 * name. Existing escapes and percent-encoding are kept.
 */
export function hrefOf(url: string): string {
  const withScheme = knownScheme.test(url) ? url : `http://${url}`;
  return withScheme.replace(toEncode, percentEncode);
}

function percentEncode(text: string): string {
  const encoded = encodeURIComponent(text.replace(loneSurrogate, '\uFFFD'));
  return encoded.replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
}
