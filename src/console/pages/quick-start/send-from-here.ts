import type { FastifyRequest } from 'fastify';
import { callerWithKey } from '../../../auth/api-caller.ts';
import { sendWithKey } from '../../../notifications/sending/send-with-key.ts';
import { Failure, invalidField } from '../../../platform/failure.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { bodyOf } from './api-request.ts';
import { type Fields, requestOf } from './fields.ts';

export interface SentMessage {
  id: string;
  took_ms: number;
}

/** Sends what the code would send, with the same key; the same form sent again sends nothing. Throws about the fields of the page, in the words of the API. */
export async function sendFromHere(
  app: ConsoleApp,
  request: FastifyRequest,
  serviceId: string,
  fields: Fields,
  once: string,
): Promise<SentMessage> {
  const toSend = requestOf(fields);
  if (!toSend) throw invalidField('template_id', 'Write a template first.');
  if (fields.apiKey === '') throw invalidField('api_key', 'Enter an API key, or create one.');
  const began = performance.now();
  try {
    const caller = await callerWithKey(app, request, fields.apiKey);
    if (caller.service_id !== serviceId) throw invalidField('api_key', 'This key belongs to another service.');
    const send = {
      channel: toSend.channel,
      body: bodyOf(toSend),
      compileValidationSchema: request.compileValidationSchema.bind(request),
      once,
    };
    const { id } = await sendWithKey(app, caller, send);
    return { id, took_ms: Math.round(performance.now() - began) };
  } catch (error) {
    throw error instanceof Failure ? aboutField(error, fields) : error;
  }
}

/** The field that a refusal of the API is about; the rest is about the whole form. */
function aboutField(failure: Failure, fields: Fields): Failure {
  // Our own fault, or a moment to wait: a page of its own.
  if (failure.kind === 'internal' || failure.kind === 'unavailable') return failure;
  const isAboutPage = typeof failure.detail !== 'string' && 'api_key' in failure.detail;
  if (isAboutPage) return failure;
  const text = failure.problems?.map(({ message }) => message).join('; ') ?? textOf(failure);
  return invalidField(fieldOf(failure, text, fields), text);
}

function fieldOf(failure: Failure, text: string, { values }: Fields): string {
  if (failure.code === 'AuthError') return 'api_key';
  if (/^(phone_number|email_address)|phone number|address/i.test(text)) return 'to';
  const missing = values.findIndex(({ value }) => value === '');
  return text.startsWith('Missing personalisation') && missing >= 0 ? `value_${missing}` : '';
}

function textOf({ detail }: Failure): string {
  return typeof detail === 'string' ? detail : Object.values(detail).flat().join('; ');
}
