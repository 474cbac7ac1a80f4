const knownScheme = /^(?:https?|ftp|file|mailto|tel):/i;
const toEncode = /[^A-Za-z0-9_.\-~:/?#=&;%]+/g;
const loneSurrogate = /\p{Surrogate}/gu;

/**
 * A URL for a double-quoted attribute. A URL without an allowed scheme is treated as a web address, so `javascript:`
 * becomes a host name. Existing escapes and percent-encoding are kept.
 */
export function hrefOf(url: string): string {
  const withScheme = knownScheme.test(url) ? url : `http://${url}`;
  return withScheme.replace(toEncode, percentEncode);
}

function percentEncode(text: string): string {
  const encoded = encodeURIComponent(text.replace(loneSurrogate, '\uFFFD'));
  return encoded.replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
}
