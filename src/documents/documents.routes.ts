import contentDisposition from 'content-disposition';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { sendPage } from '../platform/http/page.ts';
import type { Http } from '../platform/http/surface.ts';
import { idInPath, nilId } from '../platform/id.ts';
import type { Platform } from '../platform/platform.ts';
import type { Urls } from '../platform/settings.ts';
import { adminErrors } from '../protocol/error-bodies.ts';
import { NoContent, Nullable, Raw } from '../protocol/fields.ts';
import { documentUrl } from './document-links.ts';
import { confirmPage, downloadPage, expiredPage, notFoundPage, slowDownPage, wrongAddress } from './document-pages.ts';
import { confirmRecipient, findDocument, isConfirmed, type Lookup, type StoredDocument } from './documents.ts';

const OfDocument = Type.Object({ service_id: Type.String(), document_id: Type.String() });
const Key = Type.Object({ key: Type.Optional(Type.String()), signed_data: Type.Optional(Type.String()) });

const Page = Raw('text/html', 'The HTML page');
const Refusal = Type.Object({ error: Type.String() });
// Request validation rejects a repeated query parameter with the error body of the admin API.
const Malformed = Type.Union([Refusal, adminErrors.errorSchema]);
const refusals = { 400: Malformed, 403: Refusal, 404: Refusal, 410: Refusal };

/** Serves files sent by email: the page that the email links to, and the file itself. The key in the link is the only credential. */
export function documentRoutes(http: Http, app: Platform & { config: { urls: Urls } }): void {
  http.get(
    '/d/:service_id/:document_id',
    {
      schema: {
        summary: 'The page behind a link to a file',
        params: OfDocument,
        querystring: Key,
        response: { 200: Page, 404: Page, 410: Page },
      },
    },
    async (request, reply) => {
      const { service, document, key } = readLink(request);
      const found = await findDocument(app, service, document, key);
      if (found.found !== 'document') return sendProblemPage(app, reply, found);
      return sendPage(app, reply, { status: 200, language: found.document.language }, () =>
        found.document.recipient_digest
          ? confirmPage(app.country, found.document)
          : downloadPage(app.country, found.document, fileUrl(found.document, key)),
      );
    },
  );

  http.post(
    '/d/:service_id/:document_id',
    {
      schema: {
        summary: 'Confirm the email address that a file was sent to',
        params: OfDocument,
        querystring: Key,
        response: { 200: Page, 403: Page, 404: Page, 410: Page, 429: Page },
      },
    },
    async (request, reply) => {
      const { service, document, key } = readLink(request);
      const found = await findDocument(app, service, document, key);
      if (found.found !== 'document') return sendProblemPage(app, reply, found);
      const { language } = found.document;
      const result = await confirmRecipient(app, found.document, fieldOf(request.body, 'email_address'));
      if (result === 'too-many') return sendPage(app, reply, { status: 429, language }, slowDownPage);
      if (result === 'wrong') {
        return sendPage(app, reply, { status: 403, language }, () =>
          confirmPage(app.country, found.document, wrongAddress),
        );
      }
      return sendPage(app, reply, { status: 200, language }, () =>
        downloadPage(app.country, found.document, fileUrl(found.document, key, result.confirmed)),
      );
    },
  );

  http.get(
    '/services/:service_id/documents/:document_id',
    {
      schema: {
        summary: 'Download a file sent by email',
        params: OfDocument,
        querystring: Key,
        response: {
          200: Raw('application/octet-stream', 'The file, with its own content type'),
          302: NoContent,
          ...refusals,
        },
      },
    },
    async (request, reply) => {
      const { service, document, key } = readLink(request);
      if (!key) return refuse(reply, 400, 'Missing decryption key');
      const found = await findDocument(app, service, document, key);
      if (found.found !== 'document') return sendProblem(reply, found);
      if (!isConfirmed(app, found.document, request.query.signed_data ?? request.cookies.document_access_signed_data)) {
        return reply.redirect(documentUrl(app.config.urls.api, found.document, key), 302);
      }
      return reply
        .header('content-disposition', disposition(found.document))
        .header('x-robots-tag', 'noindex, nofollow')
        .header('referrer-policy', 'no-referrer')
        .type(found.document.mime_type)
        .send(found.content);
    },
  );

  http.get(
    '/services/:service_id/documents/:document_id/check',
    {
      schema: {
        summary: 'Get the metadata of the file behind a link',
        params: OfDocument,
        querystring: Key,
        response: {
          200: Type.Object({
            document: Type.Object({
              direct_file_url: Type.String(),
              confirm_email: Type.Boolean(),
              size_in_bytes: Type.Integer(),
              file_extension: Type.String(),
              filename: Nullable(Type.String()),
              available_until: Type.String(),
            }),
          }),
          ...refusals,
        },
      },
    },
    async (request, reply) => {
      const { service, document, key } = readLink(request);
      if (!key) return refuse(reply, 400, 'Missing decryption key');
      const found = await findDocument(app, service, document, key);
      if (found.found !== 'document') return sendProblem(reply, found);
      const { recipient_digest, size_in_bytes, file_extension, filename, available_until } = found.document;
      return {
        document: {
          direct_file_url: fileUrl(found.document, key),
          confirm_email: recipient_digest !== null,
          size_in_bytes,
          file_extension,
          filename,
          available_until: available_until.slice(0, 10),
        },
      };
    },
  );

  http.post(
    '/services/:service_id/documents/:document_id/authenticate',
    {
      schema: {
        summary: 'Confirm the email address that a file was sent to',
        params: OfDocument,
        response: {
          200: Type.Object({ signed_data: Type.String(), direct_file_url: Type.String() }),
          ...refusals,
          429: Refusal,
        },
      },
    },
    async (request, reply) => {
      const { service, document } = readLink(request);
      const key = fieldOf(request.body, 'key');
      const email = fieldOf(request.body, 'email_address');
      if (!key) return refuse(reply, 400, 'Missing decryption key');
      if (!email) return refuse(reply, 400, 'Missing email address');
      const found = await findDocument(app, service, document, key);
      if (found.found !== 'document') return sendProblem(reply, found);
      const result = await confirmRecipient(app, found.document, email);
      if (result === 'too-many') return refuse(reply, 429, 'Too many requests');
      if (result === 'wrong') return refuse(reply, 403, 'Authentication failure');
      return { signed_data: result.confirmed, direct_file_url: fileUrl(found.document, key, result.confirmed) };
    },
  );

  function fileUrl({ id, service_id, file_extension }: StoredDocument, key: string, signed?: string): string {
    const confirmed = signed === undefined ? '' : `&signed_data=${signed}`;
    return `${app.config.urls.api}/services/${service_id}/documents/${id}.${file_extension}?key=${encodeURIComponent(key)}${confirmed}`;
  }
}

interface Link {
  service: string;
  document: string;
  key: string;
}

/** The document id may have a file extension, as a hint for browsers. */
function readLink(request: FastifyRequest): Link {
  const { service_id, document_id } = request.params as { service_id: string; document_id: string };
  const [document = ''] = document_id.split('.', 1);
  const { key = '' } = request.query as { key?: string };
  return { service: idInPath(service_id) ?? nilId, document: idInPath(document) ?? nilId, key };
}

function fieldOf(body: unknown, name: string): string {
  const value = typeof body === 'object' && body !== null ? (body as Record<string, unknown>)[name] : undefined;
  return typeof value === 'string' ? value : '';
}

/**
 * Returns an ASCII name for old clients and the full name for others. Always an attachment, because an HTML file must not run in our
 * origin.
 */
function disposition({ filename, id, file_extension }: StoredDocument): string {
  const name = filename ?? `${id}.${file_extension}`;
  return contentDisposition(name, { fallback: name.replaceAll(/[^\w .()-]/g, '_') });
}

function sendProblemPage(
  app: Platform,
  reply: FastifyReply,
  found: Exclude<Lookup, { found: 'document' }>,
): FastifyReply {
  return found.found === 'expired'
    ? sendPage(app, reply, { status: 410, language: found.document.language }, () =>
        expiredPage(app.country, found.document),
      )
    : sendPage(app, reply, { status: 404 }, notFoundPage);
}

function sendProblem(reply: FastifyReply, { found }: Exclude<Lookup, { found: 'document' }>): FastifyReply {
  if (found === 'expired') return refuse(reply, 410, 'No longer available');
  return found === 'locked' ? refuse(reply, 403, 'Forbidden') : refuse(reply, 404, 'Not found');
}

function refuse(reply: FastifyReply, status: number, error: string): FastifyReply {
  return reply
    .code(status)
    .header('content-type', 'application/json; charset=utf-8')
    .serializer((body: unknown) => JSON.stringify(body))
    .send({ error });
}
