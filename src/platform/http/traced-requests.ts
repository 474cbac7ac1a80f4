import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Span, withinSpan } from '../tracing/span.ts';
import type { Tracing } from '../tracing/tracing.ts';
import type { Http } from './surface.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Undefined if the request is not recorded. */
    span: Span | undefined;
  }
}

/** Records a span for each request of a surface, with the path as declared, never as requested. */
export function traceRequests(scope: Http, tracing: Tracing): void {
  scope.addHook('onRequest', (request, _reply, done) => {
    const { url = 'unknown' } = request.routeOptions;
    request.span = tracing.startRequest(request.headers, {
      name: `${request.method} ${url}`,
      kind: 'server',
      facts: { 'http.request.method': request.method, 'http.route': url },
    });
    done();
  });
  // Wrap the handler instead of using a hook, because the body arrives in the context of its connection.
  scope.addHook('onRoute', (route) => {
    const { handler } = route;
    route.handler = function (request, reply) {
      const handle = () => handler.call(this, request, reply);
      return request.span ? withinSpan(request.span, handle) : handle();
    };
  });
}

/** Without a reply, the client closed the connection before the response. */
export function endRequestSpan(request: FastifyRequest, reply: FastifyReply | undefined): void {
  const { span, subroute, method } = request;
  if (subroute?.url) {
    span?.rename(`${method} ${subroute.url}`);
    span?.set({ 'http.route': subroute.url });
  }
  if (reply) {
    span?.set({ 'http.response.status_code': reply.statusCode });
    span?.end(reply.statusCode >= 500 ? `status ${reply.statusCode}` : undefined);
  } else span?.end('the client closed the connection');
}
