import type { FastifyReply, FastifyRequest, RouteHandlerMethod, RouteShorthandOptions } from 'fastify';
import type { Http } from '../platform/http/surface.ts';
import type { InStores, Stores } from './stores.ts';

type Routes<App> = (http: Http, app: App) => void;

/** Finds the store of a request. */
type ChooseStore<App extends InStores<App>> = (stores: Stores<App>, request: FastifyRequest) => App | Promise<App>;

const methods = ['get', 'post', 'put', 'delete'] as const;
const hooks = ['onRequest', 'preValidation', 'preHandler'] as const;

interface Declared {
  method: (typeof methods)[number];
  url: string;
  options: RouteShorthandOptions;
  /** In lists: every request of a route reads them. */
  hooks: Record<(typeof hooks)[number], AnyHook[]>;
  handler: RouteHandlerMethod;
}

type AnyHook = (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => unknown;

/**
 * The same routes for all stores: each request is handled by the application of its store. With one store these are the routes
 * themselves.
 */
export function routesByStore<App extends InStores<App>>(routes: Routes<App>, choose: ChooseStore<App>): Routes<App> {
  return (http, app) => {
    const { stores } = app;
    if (stores.isOne) return routes(http, app);
    const declared = new Map(stores.all.map((one) => [one, declare(http, routes, one)]));
    const chosen = new WeakMap<FastifyRequest, App>();
    const of = (request: FastifyRequest) => declared.get(chosen.get(request) ?? stores.main) as Declared[];
    const chooseStore: AnyHook = (request, _reply, done) => {
      const found = choose(stores, request);
      if (!(found instanceof Promise)) {
        chosen.set(request, found);
        return done();
      }
      return found.then((one) => void chosen.set(request, one));
    };
    for (const [index, { method, url, options, hooks: hooksOf, handler }] of of({} as FastifyRequest).entries()) {
      const routed: Record<string, unknown> = { ...options };
      for (const name of hooks) {
        const forwarded = hooksOf[name].map((hook, at): AnyHook => {
          return (request, reply, done) =>
            (of(request)[index]?.hooks[name][at] ?? hook).call(http, request, reply, done);
        });
        routed[name] = name === 'onRequest' ? [chooseStore, ...forwarded] : forwarded;
      }
      http[method](url, routed as RouteShorthandOptions, function (request, reply) {
        return (of(request)[index]?.handler ?? handler).call(this, request, reply);
      });
    }
  };
}

/** What a route module declares for one application. */
function declare<App>(http: Http, routes: Routes<App>, app: App): Declared[] {
  const declared: Declared[] = [];
  const recording = Object.create(http) as Record<string, unknown>;
  for (const method of methods) {
    recording[method] = (url: string, ...rest: [RouteHandlerMethod] | [RouteShorthandOptions, RouteHandlerMethod]) => {
      const [options, handler] = rest.length === 1 ? [{}, rest[0]] : rest;
      const listOf = (name: (typeof hooks)[number]) => [options[name] ?? []].flat() as unknown as AnyHook[];
      const lists = {
        onRequest: listOf('onRequest'),
        preValidation: listOf('preValidation'),
        preHandler: listOf('preHandler'),
      };
      declared.push({ method, url, options, hooks: lists, handler });
      return recording;
    };
  }
  routes(recording as unknown as Http, app);
  return declared;
}
