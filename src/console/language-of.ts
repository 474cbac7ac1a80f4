import type { FastifyRequest } from 'fastify';
import type { Language } from '../language/language.ts';
import type { Languages } from '../language/languages.ts';

/** What a person has chosen, in their account or on this browser; else what the browser asks for; else that of the installation. */
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
