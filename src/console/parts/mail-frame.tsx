import type { FastifyReply } from 'fastify';
import type { Text } from '../../language/text.ts';
import type { Urls } from '../../platform/settings.ts';
import { decodeEntities } from '../../rendering/escape.ts';
import type { Sent } from '../page.ts';

/** Links open in new tabs, which are ordinary pages. The frame has no scripts, no forms and no access to our origin. */
const mailSandbox = 'allow-popups allow-popups-to-escape-sandbox';

interface MailFrameProps {
  /** The URL of a page that sends the email with `sendMailFrame`. */
  src: string;
  /** The same email, to determine its height. */
  html: string;
  title: Text;
  width?: '360' | '600' | 'full';
}

/**
 * An email as its recipient sees it. It is untrusted content, so it has its own page and origin, and cannot be measured from outside. Its
 * lines are also laid out invisibly behind the frame, which gives the frame the right height at every width and text size.
 */
export function MailFrame({ src, html, title, width = '600' }: MailFrameProps) {
  return (
    <div class={`mail-sheet mail-sheet--${width}`}>
      <div class="mail-lines" aria-hidden="true">
        {listMailLines(html).map(({ kind, text }, index) => (
          <i key={index} class={`mail-${kind}`} data-text={text} />
        ))}
      </div>
      <iframe class="mail" src={src} sandbox={mailSandbox} title={title} />
    </div>
  );
}

interface Deps {
  config: { urls: Urls };
}

/**
 * Sends an email, which is untrusted content. The policy gives it an opaque origin, even when it is opened alone: no scripts, no forms,
 * none of our cookies, and nothing from the network except logos that were uploaded here, and the images that the reader asks for. Links
 * open in new tabs, because the frame itself cannot navigate.
 */
export function sendMailFrame(
  { config }: Deps,
  reply: FastifyReply,
  html: string,
  { images }: { images: boolean },
): Sent {
  const policy = [
    `sandbox ${mailSandbox}`,
    "default-src 'none'",
    "style-src 'unsafe-inline'",
    ['img-src data:', logoSource(reply), images ? 'https:' : ''].filter(Boolean).join(' '),
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'self'",
  ].join('; ');
  // The console may be served from another host than that in emails, which the reader may not be able to reach.
  const shown = openLinksInTabs(html).replaceAll(`src="${config.urls.api}/logos/`, 'src="/logos/');
  return sendContent(reply, { policy, type: 'text/html; charset=utf-8', content: Buffer.from(shown) });
}

/** Inserts it before everything else, because the first target counts, but after the doctype, which must be first. */
function openLinksInTabs(html: string): string {
  return html.replace(/^\s*(?:<!doctype[^>]*>)?/i, (start) => `${start}<base target="_blank">`);
}

/** 'self' would allow every URL of this server. */
function logoSource({ request }: FastifyReply): string {
  return /^[\w.:[\]-]+$/.test(request.host) ? `${request.host}/logos/` : '';
}

/** Sends a file to download or an image to display. Opened alone, it gets as few privileges as an email. */
export function sendSentFile(reply: FastifyReply, type: string, content: Uint8Array, name?: string): Sent {
  // Names are ids, so they need no quoting.
  if (name) reply.header('content-disposition', `attachment; filename="${name}"`);
  return sendContent(reply, { policy: "sandbox; default-src 'none'; frame-ancestors 'none'", type, content });
}

function sendContent(
  reply: FastifyReply,
  { policy, type, content }: { policy: string; type: string; content: Uint8Array },
): Sent {
  const sent = reply
    .type(type)
    .header('content-security-policy', policy)
    // Image servers do not learn where the message is read.
    .header('referrer-policy', 'no-referrer')
    .serializer((bytes: Buffer) => bytes as unknown as string)
    .send(Buffer.from(content.buffer, content.byteOffset, content.byteLength));
  return { sent };
}

/** Elements of emails that start a new line. `banner` is a cell with a background colour. */
const kinds = ['p', 'h2', 'h3', 'li', 'hr', 'img', 'banner'] as const;

interface MailLine {
  kind: (typeof kinds)[number] | 'inset';
  text: string;
}

/** Limits the page around a long email, whose frame then scrolls. */
const maxLength = 200_000;

/** Returns the lines of an email in the HTML of `renderEmailPage` and `renderEmailHtml`. */
function listMailLines(html: string): MailLine[] {
  const lines: MailLine[] = [];
  let isInset = false;
  const body = html.slice(Math.max(0, html.indexOf('<body')), maxLength);
  for (const [, tag = '', text = ''] of body.matchAll(/<([^<>]*)>([^<]*)/g)) {
    const name = tag.includes('bgcolor') ? 'banner' : /^\/?\w*/.exec(tag)?.[0];
    if (name === 'blockquote' || name === '/blockquote') isInset = name === 'blockquote';
    const kind = kinds.find((known) => known === name);
    if (kind) lines.push({ kind: kind === 'p' && isInset ? 'inset' : kind, text: '' });
    const line = lines.at(-1);
    if (line) line.text += `${name === 'br' ? '\n' : ''}${decodeEntities(text).replaceAll(/\s+/g, ' ')}`;
  }
  return lines;
}
