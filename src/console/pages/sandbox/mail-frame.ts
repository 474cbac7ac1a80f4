import type { FastifyReply } from 'fastify';
import type { Urls } from '../../../platform/settings.ts';
import type { Sent } from '../../page.ts';
import { mailSandbox } from '../../parts/mail-frame.tsx';

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
