import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import type { Sent } from './page.ts';
import { sendHtml } from './render.tsx';

/** A live part as it is sent. Pages that share it share the work of rendering and hashing, too. */
export interface Fragment {
  html: Buffer;
  tag: string;
}

export function renderFragment(content: VNode): Fragment {
  const html = Buffer.from(renderToString(content));
  return { html, tag: `"${createHash('sha256').update(html).digest('base64url').slice(0, 16)}"` };
}

/** The content of a live part; 304 while it is what the browser has. */
export function sendFragment(request: FastifyRequest, reply: FastifyReply, content: VNode | Fragment): Sent {
  const { html, tag } = 'tag' in content ? content : renderFragment(content);
  reply.header('etag', tag).header('cache-control', 'no-cache, private');
  if (request.headers['if-none-match'] === tag) return { sent: reply.code(304).send() };
  return { sent: sendHtml(reply, 200, html) };
}
