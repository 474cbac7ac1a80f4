import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { invalid } from '../platform/failure.ts';
import type { Http } from '../platform/http/surface.ts';
import { Uuid } from '../protocol/fields.ts';
import { Admissions } from './access/admission.ts';
import { addPageHeaders } from './access/page-headers.ts';
import { refuseOtherOrigins } from './access/same-origin.ts';
import { collectPages } from './collect-pages.ts';
import type { ConsoleApp } from './console-app.ts';
import { isAboutForm, noDraft, problemsOf, problemsOfForm } from './draft.ts';
import { bodyOptions, readFields } from './form-body.ts';
import { assetRoutes } from './layout/assets.ts';
import { withOwnLinks } from './own-links.ts';
import type { Asked, DeclaredPage, Draft, Redirection, Sent, View } from './page.ts';
import { keepLastService } from './pages/services/last-service.ts';
import { renderPage, sendHtml } from './render.tsx';
import { keepNotice, takeNotice } from './sessions/notice.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The page that was asked for, and by whom. */
    asked: Asked | undefined;
  }
}

export function consoleRoutes(http: Http, served: ConsoleApp): void {
  const app = withOwnLinks(served);
  servePages(http, app, collectPages(app));
  assetRoutes(http);
}

export function servePages(http: Http, app: ConsoleApp, pages: readonly DeclaredPage[]): void {
  const refuseOthers = refuseOtherOrigins(app.config.urls.api);
  http.decorateRequest('asked', undefined);
  http.decorateRequest('multipart', undefined);
  http.addHook('onRequest', async (request, reply) => {
    addPageHeaders(reply);
    refuseOthers(request);
  });
  const admissions = new Admissions(app);
  for (const page of pages) addPage(http, app, page, pages, admissions);
}

function addPage(
  http: Http,
  app: ConsoleApp,
  page: DeclaredPage,
  pages: readonly DeclaredPage[],
  admissions: Admissions,
): void {
  const url = `/console${page.path}`;
  const params = paramsOf(page.path);

  async function onRequest(request: FastifyRequest, reply: FastifyReply) {
    const { visitor, may } = await admissions.find(page, request, reply);
    if (may === 'sign-in') {
      const next = request.method === 'GET' ? `?${new URLSearchParams({ next: request.url })}` : '';
      return reply.redirect(`/console/sign-in${next}`, 303);
    }
    if (may.service) keepLastService(app, request, reply, may.service.id);
    request.asked = askedOf(request, reply, visitor, may);
    return undefined;
  }

  function respond(asked: Asked, result: View | Redirection | Sent, draft: Draft): FastifyReply {
    const { request, reply, visitor, service } = asked;
    if ('sent' in result) return result.sent;
    if ('to' in result) {
      if (result.notice !== undefined) keepNotice(app, reply, result.notice);
      return reply.redirect(`/console${result.to}`, 303);
    }
    const html = renderPage(result, draft, {
      pages,
      request,
      visitor,
      service,
      current: page.menu ?? page.below,
      notice: takeNotice(app, request, reply),
      now: app.clock.now(),
      platformName: app.config.branding.platformName,
    });
    return sendHtml(reply, result.status ?? (draft.problems.size > 0 ? 400 : 200), html);
  }

  const show = async (asked: Asked, draft: Draft) => respond(asked, await page.show(asked, draft), draft);

  http.get(url, { schema: { params }, onRequest }, ({ asked }) => asked && show(asked, noDraft));

  const { form, act, needs, file } = page;
  if (!form || !act) return;
  http.post(
    url,
    {
      ...bodyOptions(page),
      schema: { params, body: form },
      attachValidation: true,
      onRequest,
      preValidation: readFields(app, form, file),
    },
    async ({ asked, body, multipart, validationError }) => {
      if (!asked) return undefined;
      const typed = new Map(Object.entries(body as Record<string, string | string[]>));
      try {
        const problems = problemsOfForm({ form, needs, file }, typed, multipart?.file !== undefined, validationError);
        if (problems.size > 0) throw invalid(Object.fromEntries(problems));
        return respond(asked, await act(asked, body as Record<string, unknown>, multipart?.file), noDraft);
      } catch (error) {
        if (!isAboutForm(error)) throw error;
        return show(asked, { typed, problems: problemsOf(error.detail) });
      } finally {
        multipart?.stop();
      }
    },
  );
}

function askedOf(
  request: FastifyRequest,
  reply: FastifyReply,
  visitor: Asked<'anyone'>['visitor'],
  { service, organisation }: Pick<Asked, 'service' | 'organisation'>,
): Asked {
  const params = new Map(Object.entries(request.params as Record<string, string>));
  const query = new Map(Object.entries(request.query as Record<string, string | string[]>));
  return {
    request,
    reply,
    visitor: visitor as Asked['visitor'],
    service,
    organisation,
    param: (name) => params.get(name) ?? '',
    query: (name) => [query.get(name) ?? ''].flat()[0] ?? '',
  };
}

/** Ids that are no UUIDs match no page. */
function paramsOf(path: string) {
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
  return Type.Object(
    Object.fromEntries(names.map((name) => [name, name.endsWith('_id') ? Uuid : Type.String({ maxLength: 2_000 })])),
  );
}
