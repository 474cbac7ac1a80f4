import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ComponentChildren, VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { english } from '../../language/language.ts';
import { inLanguage, type Text, t } from '../../language/text.ts';
import type { Sent } from '../page.ts';
import { sendHtml } from '../render.tsx';
import { type Viewer, ViewerContext } from '../viewer.ts';

interface LiveProps {
  /** The address of the fragment that replaces the children. */
  from: string;
  /** Seconds between two requests; more while nothing changes. */
  every?: number;
  /** The longest time between two requests, where a change must be seen soon. */
  atMost?: number;
  /** The children are the whole fragment, with their own `data-live`, so that both are built alike. */
  isWhole?: boolean;
  children: ComponentChildren;
}

/**
 * A part that keeps itself up to date: `browser/live.ts` asks for the fragment again, until it contains no
 * `data-live` any more. Without script it shows what it was at first. What has the role `status` in it is announced when it
 * changes: at most one element.
 */
export function Live({ from, every = 2, atMost, isWhole, children }: LiveProps) {
  return (
    <live-part
      data-from={from}
      data-every={every}
      data-at-most={atMost}
      data-say-pause={t('Pause updates')}
      data-say-resume={t('Resume updates')}
    >
      {isWhole ? children : <div data-live>{children}</div>}
    </live-part>
  );
}

declare module 'preact' {
  namespace JSX {
    interface IntrinsicElements {
      'live-part': HTMLAttributes<HTMLElement> & {
        'data-from': string;
        'data-every': number;
        'data-at-most'?: number | undefined;
        'data-say-pause': Text;
        'data-say-resume': Text;
      };
    }
  }
}

/** A live part as it is sent. Pages that share it share the work of rendering and hashing, too. */
export interface Fragment {
  html: Buffer;
  tag: string;
}

export function renderFragment(viewer: Viewer | undefined, content: VNode): Fragment {
  const page = <ViewerContext.Provider value={viewer}>{content}</ViewerContext.Provider>;
  const html = Buffer.from(inLanguage(viewer?.language ?? english, () => renderToString(page)));
  return { html, tag: `"${createHash('sha256').update(html).digest('base64url').slice(0, 16)}"` };
}

/** The content of a live part; 304 while it is what the browser has. */
export function sendFragment(request: FastifyRequest, reply: FastifyReply, content: VNode | Fragment): Sent {
  const { html, tag } = 'tag' in content ? content : renderFragment(request.opened?.pageRequest.viewer, content);
  reply.header('etag', tag).header('cache-control', 'no-cache, private');
  if (request.headers['if-none-match'] === tag) return { sent: reply.code(304).send() };
  return { sent: sendHtml(reply, 200, html) };
}
