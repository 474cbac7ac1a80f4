import type { FastifyReply, FastifyRequest } from 'fastify';
import type { VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import type { Language } from '../language/language.ts';
import { inLanguage, t } from '../language/text.ts';
import { isSuspended } from '../services/service-fields.ts';
import type { Service } from '../services/services.ts';
import { Document, themeOf } from './layout/document.tsx';
import { type MenuEntry, shownMenus } from './layout/menus.ts';
import { Shell } from './layout/shell.tsx';
import { StandalonePage } from './layout/standalone-page.tsx';
import type { DeclaredPage, FormState, View } from './page.ts';
import type { Visitor } from './sessions/sessions.ts';
import { type Viewer, ViewerContext } from './viewer.ts';

type FrameService = Pick<Service, 'id' | 'name' | 'restricted' | 'organisation' | 'permissions'>;

/** Data for the frame around a page. */
interface Frame {
  pages: readonly DeclaredPage[];
  request: FastifyRequest;
  visitor: Visitor | undefined;
  /** Undefined for a failure, which shows no times. */
  viewer: Viewer | undefined;
  language: Language;
  /** The service of the page. */
  service: FrameService | undefined;
  /** The service that the frame shows: that of the page, or the one that is still open. */
  openService: FrameService | undefined;
  current: MenuEntry | undefined;
  notice: string | undefined;
  /** The time on the date stamp; undefined for a failure. */
  now: Date | undefined;
  platformName: string;
}

export function renderPage(view: View, formState: FormState, frame: Frame): string {
  return inLanguage(frame.language, () => `<!doctype html>${renderToString(renderFrame(view, formState, frame))}`);
}

function renderFrame(view: View, formState: FormState, frame: Frame): VNode {
  const { visitor, viewer, language, service, openService, notice, now, platformName, pages, current } = frame;
  // The title of a service's page may be the name of the service.
  const names = new Set([view.about, view.title, service?.name, 'Pennypost'].filter(Boolean).map(String));
  const title = [...names].join(' – ');
  return (
    <Document
      title={formState.problems.size > 0 ? t('Error: {title}', { title }) : title}
      language={language}
      theme={themeOf(frame.request)}
      scripts={view.scripts ?? []}
    >
      <ViewerContext.Provider value={viewer}>
        {visitor && view.frame !== 'standalone' ? (
          <Shell
            view={view}
            formState={formState}
            notice={notice}
            menus={shownMenus(pages, { visitor, ...(openService ? { service: openService } : {}), current })}
            service={openService}
            isSuspended={service !== undefined && isSuspended(service)}
            userName={visitor.user.name}
          />
        ) : (
          <StandalonePage view={view} formState={formState} now={now} notice={notice} platformName={platformName} />
        )}
      </ViewerContext.Provider>
    </Document>
  );
}

export function sendHtml(reply: FastifyReply, status: number, html: string | Buffer): FastifyReply {
  return addPageHeaders(reply)
    .code(status)
    .type('text/html; charset=utf-8')
    .serializer((content: string) => content)
    .send(html);
}

/** Allows nothing inline and nothing from other origins. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "frame-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ');

export function addPageHeaders(reply: FastifyReply): FastifyReply {
  return reply.headers({
    'content-security-policy': policy,
    // With no-referrer, browsers would send `Origin: null` with our own forms.
    'referrer-policy': 'same-origin',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': 'camera=(), microphone=(), geolocation=()',
    'x-robots-tag': 'noindex, nofollow',
  });
}
