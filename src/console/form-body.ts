import type { FastifyRequest } from 'fastify';
import type { TObject } from 'typebox';
import type { BodyMemory } from '../platform/http/body/body-memory.ts';
import { type MultipartForm, readMultipart } from '../platform/http/body/multipart.ts';
import { StreamedBody } from '../platform/http/body/streamed-body.ts';
import { fieldsOf, maxFields, prepareForm } from './draft.ts';
import type { DeclaredPage, FileRule } from './page.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The form with its file, where the page takes one. */
    multipart: MultipartForm | undefined;
  }
}

/** Route options of a page: a form with a file is streamed. */
export function bodyOptions({ file, bodyLimit }: Pick<DeclaredPage, 'file' | 'bodyLimit'>) {
  return {
    ...(bodyLimit === undefined ? {} : { bodyLimit }),
    ...(file ? { config: { bodyTypes: { 'multipart/form-data': 'stream', '*': 'form' } as const } } : {}),
  };
}

/** A `preValidation` hook: the body becomes the fields of the form. */
export function readFields(app: { bodyMemory: BodyMemory }, form: TObject, file: FileRule | undefined) {
  return async (request: FastifyRequest) => {
    if (file && request.body instanceof StreamedBody) {
      const { name: field, max_bytes } = file;
      const rule = { field, max_bytes, maxFields, memory: app.bodyMemory };
      request.multipart = await readMultipart(request.body, request.headers['content-type'] ?? '', rule);
      request.body = fieldsOf(new URLSearchParams(request.multipart.fields));
    }
    request.body = prepareForm(form, request.body);
  };
}
