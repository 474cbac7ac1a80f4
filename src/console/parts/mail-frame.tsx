import type { FastifyReply } from 'fastify';
import type { Text } from '../../language/text.ts';
import type { Urls } from '../../platform/settings.ts';
import { decodeEntities } from '../../rendering/escape.ts';
import type { Sent } from '../page.ts';

/** Links open in new tabs, which are ordinary pages. Scripts, forms and our own origin stay out of reach. */
const mailSandbox = 'allow-popups allow-popups-to-escape-sandbox';

interface MailFrameProps {
  /** The address of a page that sends the email with `sendMailFrame`. */
  src: string;
  /** The same email, to know its height. */
  html: string;
  title: Text;
  width?: '360' | '600' | 'full';
}

/**
 * An email as its recipient sees it. Others wrote it, so it has a page and an origin of its own, and nobody can measure it
 * from outside. Its lines are laid out behind the frame, invisible, which makes the frame as tall as they are at every
 * width and size of text.
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
 * An email is written by others. The policy gives it an origin of its own, even when it is opened alone: no script, no
 * forms, no cookies of ours, nothing from the network but logos that were uploaded here, and the pictures that the reader
 * asks for. Its links open in new tabs: the frame itself can show nothing else.
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
  // The console may be open at another address than that of emails, which its reader need not reach.
  const shown = openLinksInTabs(html).replaceAll(`src="${config.urls.api}/logos/`, 'src="/logos/');
  return sendContent(reply, { policy, type: 'text/html; charset=utf-8', content: Buffer.from(shown) });
}

/** Before everything else in the page, because the first target counts; after the doctype, which must be first. */
function openLinksInTabs(html: string): string {
  return html.replace(/^\s*(?:<!doctype[^>]*>)?/i, (start) => `${start}<base target="_blank">`);
}

/** 'self' would name every address of this server. */
function logoSource({ request }: FastifyReply): string {
  return /^[\w.:[\]-]+$/.test(request.host) ? `${request.host}/logos/` : '';
}

/** Sends a file that the browser stores, or a picture that it shows. Opened alone, it may do as little as an email. */
export function sendSentFile(reply: FastifyReply, type: string, content: Uint8Array, name?: string): Sent {
  // Names are ids: they need no quoting.
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
    // Servers of pictures do not learn where the message is read.
    .header('referrer-policy', 'no-referrer')
    .serializer((bytes: Buffer) => bytes as unknown as string)
    .send(Buffer.from(content));
  return { sent };
}

/** The elements of emails that begin a line. `banner` is a cell in colour. */
const kinds = ['p', 'h2', 'h3', 'li', 'hr', 'img', 'banner'] as const;

interface MailLine {
  kind: (typeof kinds)[number] | 'inset';
  text: string;
}

/** This bounds the page around a long email, whose frame scrolls. */
const maxLength = 200_000;

/** The lines of an email, as `renderEmailPage` and `renderEmailHtml` write them. */
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
