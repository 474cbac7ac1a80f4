import type { FastifyRequest } from 'fastify';
import type { BodyMemory } from '../platform/http/body/body-memory.ts';
import { type MultipartForm, readMultipart } from '../platform/http/body/multipart.ts';
import { StreamedBody } from '../platform/http/body/streamed-body.ts';
import type { Subroute } from '../platform/http/subroute.ts';
import { fieldsOf, maxFields, prepareForm } from './form-state.ts';
import type { DeclaredPage } from './page.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The form with its file, where the page takes one. */
    multipart: MultipartForm | undefined;
  }
}

/** How the body of a page is read: a form with a file is streamed. */
export function bodyOptions({ file, bodyLimit }: DeclaredPage, route: Subroute): Subroute {
  const config: Subroute['config'] = file
    ? { ...route.config, bodyTypes: { 'multipart/form-data': 'stream', '*': 'form' } }
    : route.config;
  return { ...route, config, ...(bodyLimit === undefined ? {} : { bodyLimit }) };
}

/** A `preValidation` hook: the body becomes the fields of the form. */
export function readFields(app: { bodyMemory: BodyMemory }) {
  return async (request: FastifyRequest) => {
    const { form, file } = request.opened?.page ?? {};
    if (!form) return;
    if (file && request.body instanceof StreamedBody) {
      const { name: field, max_bytes } = file;
      const rule = { field, max_bytes, maxFields, memory: app.bodyMemory };
      request.multipart = await readMultipart(request.body, request.headers['content-type'] ?? '', rule);
      request.body = fieldsOf(new URLSearchParams(request.multipart.fields));
    }
    request.body = prepareForm(form, request.body);
  };
}
