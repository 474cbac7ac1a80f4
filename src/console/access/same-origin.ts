import type { FastifyRequest } from 'fastify';
import { Failure } from '../../platform/failure.ts';

/**
 * Refuses forms that other sites send with the visitor's cookie. Browsers say where a request comes from; those that
 * do not send `Sec-Fetch-Site` send `Origin`. Neither can be set by a page.
 */
export function refuseOtherOrigins(baseUrl: string): (request: FastifyRequest) => void {
  const configured = new URL(baseUrl).origin;
  return ({ method, headers, protocol, host }) => {
    if (method === 'GET' || method === 'HEAD') return;
    const site = headers['sec-fetch-site'];
    const own = [configured, `${protocol}://${host}`];
    const isOwn = site === undefined ? own.includes(headers.origin ?? '') : site === 'same-origin';
    if (isOwn) return;
    const text = 'The form was not sent from a page of this Pennypost. Open the page here, and send the form again.';
    throw new Failure('forbidden', 'CrossSiteRequest', text);
  };
}
