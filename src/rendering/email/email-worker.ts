import { LRUCache } from 'lru-cache';
import type { Personalisation } from '../personalisation.ts';
import { compileTemplate, type EmailPageOptions, type EmailSource, type EmailTemplate } from '../template.ts';
import { maxOutlineCharacters, maxOutlinedLength } from './outlines.ts';

/**
 * The tasks of the email threads: long emails, which would block the event loop. Arguments and results can be cloned
 * between threads. A thread renders with the same code as the main thread.
 */

const maxCharacters = 20_000_000;
/** Keeps the outlines of templates that are sent often. */
const compiled = new LRUCache<string, EmailTemplate>({ maxSize: maxCharacters });

function compile(source: EmailSource): EmailTemplate {
  const key = `${source.dialect ?? ''} ${source.language ?? ''}\n${source.subject ?? ''}\n${source.content}`;
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
 * The preview of the API as JSON with some further fields. Also the JSON is written here: for the main thread, ten megabytes of
 * HTML would take as long as a hundred requests.
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
