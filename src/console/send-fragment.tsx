import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import type { Sent } from './page.ts';
import { sendHtml } from './render.tsx';

/** The content of a live part, rendered already where pages share it; 304 while it is what the browser has. */
export function sendFragment(request: FastifyRequest, reply: FastifyReply, content: VNode | string): Sent {
  const html = typeof content === 'string' ? content : renderToString(content);
  const tag = `"${createHash('sha256').update(html).digest('base64url').slice(0, 16)}"`;
  reply.header('etag', tag).header('cache-control', 'no-cache, private');
  if (request.headers['if-none-match'] === tag) return { sent: reply.code(304).send() };
  return { sent: sendHtml(reply, 200, html) };
}
