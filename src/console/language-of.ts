import type { FastifyRequest } from 'fastify';
import type { Language } from '../language/language.ts';
import type { Languages } from '../language/languages.ts';

/**
 * Returns the language that a person has chosen in their account or on this browser, or else one that the browser accepts, or else that of
 * the installation.
 */
export function languageOf(
  { languages }: { languages: Languages },
  { headers }: Pick<FastifyRequest, 'headers'>,
  user?: { language?: string },
): Language {
  const [, ofBrowser] = /(?:^|;\s*)pennypost_language=([\w-]{2,35})(?:;|$)/.exec(headers.cookie ?? '') ?? [];
  return (
    languages.find(user?.language ?? '') ??
    languages.find(ofBrowser ?? '') ??
    languages.accepted(headers['accept-language']) ??
    languages.default
  );
}
