import type { FastifyReply } from 'fastify';
import type { Language } from '../../language/language.ts';
import type { Languages } from '../../language/languages.ts';
import { inLanguage, type Text } from '../../language/text.ts';

/** A plain HTML page without scripts or external resources. */
export interface Page {
  title: Text;
  /** HTML; escape untrusted text with `asHtml`. */
  content: string;
}

const style = `
  body { font: 19px/1.4 system-ui, sans-serif; color: #0b0c0c; background: #fff; margin: 0; }
  main { max-width: 40rem; margin: 0 auto; padding: 2rem 1rem 4rem; }
  h1 { font-size: 2rem; line-height: 1.2; }
  a { color: #1d70b8; }
  dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1rem; }
  dt { font-weight: 600; }
  dd { margin: 0; }
  label { display: block; margin-bottom: .5rem; font-weight: 600; }
  input { font: inherit; width: 100%; box-sizing: border-box; padding: .4rem; border: 2px solid #0b0c0c; }
  input:focus, button:focus, a:focus { outline: 3px solid #fd0; outline-offset: 0; }
  button, .button { display: inline-block; font: inherit; font-weight: 600; margin-top: 1.5rem; padding: .6rem 1.2rem;
    border: 0; background: #00703c; color: #fff; text-decoration: none; cursor: pointer; }
  .error { border-left: 5px solid #d4351c; padding-left: .75rem; color: #d4351c; font-weight: 600; }
`;

interface ForRecipient {
  status: number;
  /** The language of the message that linked here, if known. */
  language?: string | null | undefined;
}

/** Sends a page in the language of the message, or else one that the browser accepts, or else that of the installation. */
export function sendPage(
  { languages }: { languages: Languages },
  reply: FastifyReply,
  { status, language: ofMessage }: ForRecipient,
  write: () => Page,
): FastifyReply {
  const accepted = languages.accepted(reply.request.headers['accept-language']);
  const language = languages.find(ofMessage ?? '') ?? accepted ?? languages.default;
  if (languages.offered.length > 1) reply.header('vary', 'accept-language');
  return reply
    .code(status)
    .header('content-type', 'text/html; charset=utf-8')
    .header(
      'content-security-policy',
      "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'",
    )
    .header('referrer-policy', 'no-referrer')
    .header('x-robots-tag', 'noindex, nofollow')
    .serializer((text: string) => text)
    .send(inLanguage(language, () => htmlOf(write(), language)));
}

function htmlOf({ title, content }: Page, { tag, direction }: Language): string {
  const direct = direction === 'rtl' ? ' dir="rtl"' : '';
  return `<!doctype html><html lang="${tag}"${direct}><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${asHtml(title)}</title><style>${style}</style></head><body><main><h1>${asHtml(title)}</h1>${content}</main></body></html>`;
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

export function asHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? character);
}

/** Returns a translated sentence with HTML in place of some values: `slot` returns a placeholder for the HTML that it is given. */
export function withHtml(write: (slot: (html: string) => string) => Text): string {
  const parts: string[] = [];
  const text = String(write((html) => String.fromCharCode(firstSlot + parts.push(html) - 1)));
  return asHtml(text).replaceAll(/[\ue000-\ue0ff]/g, (slot) => parts[slot.charCodeAt(0) - firstSlot] ?? '');
}

/** Private-use characters, which occur in no text. */
const firstSlot = 0xe000;
