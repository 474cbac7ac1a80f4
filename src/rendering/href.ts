const KNOWN_SCHEME = /^(?:https?|ftp|file|mailto|tel):/i;
const TO_ENCODE = /[^A-Za-z0-9_.\-~:/?#=&;%]+/g;
const LONE_SURROGATE = /\p{Surrogate}/gu;

/**
 * An address as it can stand in a double-quoted attribute. Whatever has no scheme we know is taken for a web address,
 * so `javascript:` becomes the name of a host. What is escaped or percent-encoded already stays so.
 */
export function hrefOf(url: string): string {
  const withScheme = KNOWN_SCHEME.test(url) ? url : `http://${url}`;
  return withScheme.replace(TO_ENCODE, percentEncode);
}

function percentEncode(text: string): string {
  const encoded = encodeURIComponent(text.replace(LONE_SURROGATE, '\uFFFD'));
  return encoded.replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
}
