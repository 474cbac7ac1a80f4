import { decodeHTMLStrict } from 'entities';

/** Bounded lengths keep a megabyte of ampersands linear; the longest name HTML knows has 31 letters. */
const ENTITY = '&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});';
const TERMINATED_ENTITY = new RegExp(ENTITY, 'g');
const ENTITY_OR_SPECIAL = new RegExp(`${ENTITY}|[&<>]`, 'g');

/** `&pound;` becomes `£`; what does not end in a semicolon or is no entity stays as it is written. */
export function decodeEntities(text: string): string {
  return text.includes('&') ? text.replace(TERMINATED_ENTITY, decodeHTMLStrict) : text;
}

/**
 * Makes text safe between tags. Entities are decoded first, so that writing one is no way around the escaping, except
 * `&nbsp;` and `&amp;`, which people write on purpose and which are harmless as they are.
 */
export function escapeHtml(text: string): string {
  return /[&<>]/.test(text) ? text.replace(ENTITY_OR_SPECIAL, escapeOne) : text;
}

function escapeOne(match: string): string {
  if (match === '&nbsp;' || match === '&amp;') return match;
  if (match.length === 1) return escapeCharacters(match);
  return escapeCharacters(decodeHTMLStrict(match));
}

function escapeCharacters(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
}

/** For text that is already safe between tags and goes into a double-quoted attribute. */
export function escapeQuotes(escaped: string): string {
  return escaped.replace(/"/g, '&quot;');
}
