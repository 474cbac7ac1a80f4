import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { inLanguage, t } from '../language/text.ts';
import { Failure, invalid } from '../platform/failure.ts';
import { unknownPath, wrongMethod } from '../platform/http/declared-routes.ts';
import { networkOf } from '../platform/http/request-facts.ts';
import type { Http } from '../platform/http/surface.ts';
import { Admissions, FormLimit, findOpenService } from './access/admission.ts';
import { findPage } from './access/find-page.ts';
import type { ConsoleApp } from './console-app.ts';
import {
  acceptedFields,
  bodyOptions,
  checkAll,
  emptyForm,
  inOrderOfFields,
  isAboutForm,
  problemsOf,
  problemsOfForm,
  readFields,
} from './forms.ts';
import { languageOf } from './language-of.ts';
import { assetRoutes } from './layout/assets.ts';
import { keepsService } from './layout/menus.ts';
import { withOwnLinks } from './links.ts';
import type { DeclaredPage, FormState, PageRequest, Redirection, Sent, View } from './page.ts';
import { addPageHeaders, renderPage, sendHtml } from './render.tsx';
import { setLastService, setNotice, takeNotice } from './sessions/cookies.ts';
import { viewerIn } from './viewer.ts';

declare module 'fastify' {
  interface FastifyRequest {
    opened: OpenedPage | undefined;
  }
}

/** Leaves time for the first requests after a start, such as health checks. */
const preloadAfter_ms = 1_000;

/** A page that the visitor may open. */
interface OpenedPage {
  page: DeclaredPage;
  pageRequest: PageRequest;
  /** All pages, for the menus. */
  pages: readonly DeclaredPage[];
}

export function consoleRoutes(http: Http, served: ConsoleApp): void {
  const app = withOwnLinks(served);
  assetRoutes(http);
  servePages(http, app, async () => {
    const { collectPages } = await import('./collect-pages.ts');
    return collectPages(app);
  });
}

/**
 * Serves all pages through a few routes: declaring hundreds of routes would take longer than the rest of the start-up. For the same reason,
 * the pages are loaded a second after the server listens, or with the first request.
 */
export function servePages(http: Http, app: ConsoleApp, load: () => Promise<readonly DeclaredPage[]>): void {
  const refuseOthers = refuseOtherOrigins(app.config.urls.api);
  const admissions = new Admissions(app);
  const formLimit = new FormLimit(app, app.config.console.formRateLimit);
  let loading: ReturnType<typeof load> | undefined;
  const loadOnce = () => {
    loading ??= load();
    return loading;
  };
  http.addHook('onListen', async () => {
    await sleep(preloadAfter_ms, undefined, { ref: false });
    await loadOnce();
  });
  http.decorateRequest('opened', undefined);
  http.decorateRequest('multipart', undefined);
  http.addHook('onRequest', async (request, reply) => {
    addPageHeaders(reply);
    // People who have not chosen a language get that of their browser.
    if (app.languages.offered.length > 1) reply.header('vary', 'accept-language, cookie');
    refuseOthers(request);
  });

  async function onRequest(request: FastifyRequest, reply: FastifyReply) {
    const pages = await loadOnce();
    const page = choosePage(pages, request);
    const { visitor, may } = await admissions.find(page, request, reply);
    if (request.method === 'POST' && !visitor) formLimit.count(networkOf(app, request));
    if (may === 'sign-in') {
      const next = request.method === 'GET' ? `?${new URLSearchParams({ next: request.url })}` : '';
      return reply.redirect(`/console/sign-in${next}`, 303);
    }
    if (may.service) setLastService(app, request, reply, may.service.id);
    request.opened = { pages, page, pageRequest: toPageRequest(app, request, reply, visitor, may) };
    return undefined;
  }

  async function respond(
    { pages, page, pageRequest }: OpenedPage,
    result: View | Redirection | Sent,
    formState: FormState,
  ): Promise<FastifyReply> {
    const { http: request, reply, visitor, viewer, service } = pageRequest;
    if ('sent' in result) return result.sent;
    if ('to' in result) {
      if (result.notice !== undefined)
        setNotice(
          app,
          reply,
          inLanguage(viewer.language, () => String(result.notice)),
        );
      return reply.redirect(`/console${result.to}`, 303);
    }
    const current = page.menu ?? page.below;
    const isKept = visitor && result.frame !== 'standalone' && keepsService(current);
    const openService = service ?? (isKept ? await findOpenService(app, request, visitor) : undefined);
    const html = renderPage(result, formState, {
      ...{ pages, request, visitor, viewer, service, openService, current, language: viewer.language },
      notice: takeNotice(app, request, reply),
      now: app.clock.now(),
      platformName: app.config.branding.platformName,
    });
    return sendHtml(reply, result.status ?? (formState.problems.size > 0 ? 400 : 200), html);
  }

  const show = async (opened: OpenedPage, formState: FormState) =>
    respond(opened, await opened.page.show(opened.pageRequest, formState), formState);

  async function send(opened: OpenedPage, request: FastifyRequest) {
    const { form, act, check, needs, file } = opened.page;
    if (!form || !act) return undefined;
    const { body, multipart } = request;
    const typed = new Map(Object.entries(body as Record<string, string | string[]>));
    try {
      const invalidBody = http.failureOfBody(request, form);
      const problems = problemsOfForm({ form, needs, file }, typed, multipart?.file !== undefined, invalidBody);
      await checkAll(
        () => {
          if (problems.size > 0) throw invalid(Object.fromEntries(problems));
        },
        () => check?.(opened.pageRequest, acceptedFields(body, problems)),
      );
      return respond(
        opened,
        await act(opened.pageRequest, body as Record<string, unknown>, multipart?.file),
        emptyForm,
      );
    } catch (error) {
      if (!isAboutForm(error)) throw error;
      return show(opened, { typed, problems: inOrderOfFields(opened.page, problemsOf(error)) });
    } finally {
      multipart?.stop();
    }
  }

  for (const url of ['/console', '/console/*']) {
    http.get(url, { onRequest }, ({ opened }) => opened && show(opened, emptyForm));
    http.post(url, { onRequest, preValidation: readFields(app) }, (request) => {
      return request.opened && send(request.opened, request);
    });
  }
}

/** Finds the page of a URL, which becomes the subroute of the request. */
function choosePage(pages: readonly DeclaredPage[], request: FastifyRequest): DeclaredPage {
  const found = findPage(pages, request.url.replace(/^\/+console/, ''));
  if (!found) throw unknownPath();
  const { page, params } = found;
  if (request.method === 'POST' && !page.form) throw wrongMethod(['GET', 'HEAD', 'OPTIONS']);
  request.params = params;
  request.subroute = { ...bodyOptions(page, request.routeOptions), url: `/console${page.path}` };
  return page;
}

function toPageRequest(
  { country, languages }: ConsoleApp,
  request: FastifyRequest,
  reply: FastifyReply,
  visitor: PageRequest<'anyone'>['visitor'],
  { service, organisation }: Pick<PageRequest, 'service' | 'organisation'>,
): PageRequest {
  const params = new Map(Object.entries(request.params as Record<string, string>));
  const query = new Map(Object.entries(request.query as Record<string, string | string[]>));
  return {
    http: request,
    reply,
    visitor: visitor as PageRequest['visitor'],
    viewer: {
      ...viewerIn(country, visitor?.user.time_zone),
      language: languageOf({ languages }, request, visitor?.user),
    },
    service,
    organisation,
    param: (name) => params.get(name) ?? '',
    query: (name) => [query.get(name) ?? ''].flat()[0] ?? '',
  };
}

/**
 * Rejects forms that other sites submit with the visitor's cookie (CSRF). Browsers send `Sec-Fetch-Site`, or at least `Origin`; a page can
 * set neither.
 */
function refuseOtherOrigins(baseUrl: string): (request: FastifyRequest) => void {
  const configured = new URL(baseUrl).origin;
  return ({ method, headers, protocol, host }) => {
    if (method === 'GET' || method === 'HEAD') return;
    const site = headers['sec-fetch-site'];
    const own = [configured, `${protocol}://${host}`];
    const isOwn = site === undefined ? own.includes(headers.origin ?? '') : site === 'same-origin';
    if (isOwn) return;
    const text = t('The form was not sent from a page of this Pennypost. Open the page here, and send the form again.');
    throw new Failure('forbidden', 'CrossSiteRequest', text);
  };
}
