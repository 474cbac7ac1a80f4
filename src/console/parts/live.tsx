import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ComponentChildren, VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { english } from '../../language/language.ts';
import { inLanguage, type Text, t } from '../../language/text.ts';
import type { Sent } from '../page.ts';
import { sendHtml } from '../render.tsx';
import { ShortLivedCache } from '../short-lived-cache.ts';
import { type Viewer, ViewerContext } from '../viewer.ts';

interface LiveProps {
  /** The URL of the fragment that replaces the children. */
  from: string;
  /** Seconds between two requests; more while nothing changes. */
  every?: number;
  /** The maximum seconds between two requests, where changes must be shown soon. */
  atMost?: number;
  /** The children are the whole fragment, including its `data-live`, so that both are built in the same way. */
  isWhole?: boolean;
  children: ComponentChildren;
}

/**
 * A part that keeps itself up to date: `browser/live.ts` polls the fragment until it contains no `data-live`. Without script, it shows its
 * initial content. An element with the role `status` is announced when it changes; there can be at most one.
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

/** A rendered live part with its entity tag. */
interface Fragment {
  html: Buffer;
  tag: string;
}

function renderFragment(viewer: Viewer | undefined, content: VNode): Fragment {
  const page = <ViewerContext.Provider value={viewer}>{content}</ViewerContext.Provider>;
  const html = Buffer.from(inLanguage(viewer?.language ?? english, () => renderToString(page)));
  return { html, tag: `"${createHash('sha256').update(html).digest('base64url').slice(0, 16)}"` };
}

/**
 * Live parts that people share. A fragment is shared only by viewers to whom it looks the same, so its key always has their language and time
 * zone.
 */
export class SharedFragments {
  private readonly fragments: ShortLivedCache<Fragment>;

  constructor(keptFor_ms: number) {
    this.fragments = new ShortLivedCache(keptFor_ms);
  }

  get(viewer: Viewer, key: string, read: () => Promise<VNode>): Promise<Fragment> {
    const seenBy = `${viewer.language.tag} ${viewer.calendar.zone}`;
    return this.fragments.get(`${seenBy} ${key}`, async () => renderFragment(viewer, await read()));
  }
}

/** Sends the content of a live part; 304 if the browser already has it. */
export function sendFragment(request: FastifyRequest, reply: FastifyReply, content: VNode | Fragment): Sent {
  const { html, tag } = 'tag' in content ? content : renderFragment(request.opened?.pageRequest.viewer, content);
  reply.header('etag', tag).header('cache-control', 'no-cache, private');
  if (request.headers['if-none-match'] === tag) return { sent: reply.code(304).send() };
  return { sent: sendHtml(reply, 200, html) };
}
