import { LRUCache } from 'lru-cache';
import type { Personalisation } from '../personalisation.ts';
import { compileTemplate, type EmailPageOptions, type EmailSource, type EmailTemplate } from '../template.ts';
import { maxOutlineCharacters, maxOutlinedLength } from './outlines.ts';

export { diffTexts } from '../word-diff.ts';
export { parseEmail } from './sent-email.ts';

/**
 * The tasks of the email threads: long emails and comparisons would block the event loop. Arguments and results must be cloneable between threads. A thread
 * renders with the same code as the main thread.
 */

const maxCharacters = 20_000_000;
/** Caches the outlines of templates that are sent often. */
const compiled = new LRUCache<string, EmailTemplate>({ maxSize: maxCharacters });

function compile(source: EmailSource): EmailTemplate {
  const key = `${source.dialect ?? ''} ${source.language ?? ''} ${source.condition_words?.yes ?? ''}\n${source.subject ?? ''}\n${source.content}`;
  if (key.length > maxOutlinedLength) return compileTemplate(source);
  const template = compiled.get(key) ?? compileTemplate(source);
  compiled.set(key, template, { size: key.length + maxOutlineCharacters(key.length) });
  return template;
}

export function renderMessage(source: EmailSource, personalisation: Personalisation, options: EmailPageOptions) {
  return compile(source).message(personalisation, options);
}

export function renderSubject(source: EmailSource, personalisation: Personalisation): string {
  return compile(source).subject(personalisation);
}

/**
 * Returns the API's preview, with some further fields, as JSON. The thread serialises it: for ten megabytes of HTML, the main thread would
 * be busy for the time of a hundred requests.
 */
export function writePreview(
  source: EmailSource,
  personalisation: Personalisation,
  { before, after }: Record<'before' | 'after', object>,
): Uint8Array {
  const template = compile(source);
  const preview = {
    body: template.body(personalisation),
    subject: template.subject(personalisation),
    html: template.htmlFragment(personalisation),
  };
  return Buffer.from(JSON.stringify({ ...before, ...preview, ...after }));
}
