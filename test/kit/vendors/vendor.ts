import type { InjectOptions } from 'fastify';
import type { ConfigChanges } from '../fakes/changed-config.ts';
import type { FrontAnswer, FrontRequest } from './http-front.ts';

/** What a request asks to send, in the words of the product. */
export type ReadMessage = { reference: string } & Record<string, unknown>;

export type Answer = Exclude<FrontAnswer, 'hang up'>;

/** A company with an HTTP API for sending: how its documentation describes requests, responses and webhooks. */
export interface Vendor {
  /** The provider. */
  name: string;
  channel: 'sms' | 'email';
  /** Its settings, with its API at this URL. */
  settings(url: string): ConfigChanges['providers'];
  /** Reads a request to send and checks it strictly. Throws an `Answer` for a request that the API would reject. */
  read(request: FrontRequest): ReadMessage | Promise<ReadMessage>;
  /** What `read` must find for the message of the test, in addition to its reference. */
  expected(reference: string): object;
  accepted(reference: string): { answer: Answer; provider_reference: string };
  /** A request of the health check, or undefined for any other. */
  checked(request: FrontRequest): Answer | undefined | Promise<Answer | undefined>;
  /** Settings that the health check rejects, and its advice. */
  wrong: [settings: object, advice: string][];
  /** Responses that are final for the recipient. */
  refusals: [answer: Answer, status: 'technical-failure' | 'permanent-failure', reason: string][];
  /** Responses that an operator must react to, and the advice. */
  misconfigured: [answer: Answer, advice: string][];
  /** Responses to throttled requests, and the seconds until the next attempt. */
  throttled(now: Date): [answer: Answer, seconds: number][];
  /** Responses after which the message may or may not have been sent. */
  nonsense: Answer[];
  /** Events about a message, and its status afterwards. */
  events: [name: string, event: (reference: string) => object, status: string][];
  complaint?: (reference: string) => object;
  /** The signed request of a webhook. */
  webhook(event: object): InjectOptions;
  /** Requests that must be rejected, with the status of the response. */
  forgeries(event: object): [name: string, request: InjectOptions, status: number][];
  /** Texts that people send, to a number, and their webhook. */
  inbound?: { text(to: string): object; webhook(text: object): InjectOptions };
  /** Signed requests that make no sense, and change nothing. */
  oddities: object[];
}

export function json(status: number, body: unknown, headers: Record<string, string> = {}): Answer {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) };
}

/** Throws the answer unless the condition holds, like an API that rejects a request. */
export function ensure(condition: unknown, answer: Answer): asserts condition {
  if (!condition) throw answer;
}

/** Whether an object has these keys and no others. */
export function hasKeys(value: unknown, required: string[], optional: string[] = []): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const keys = Object.keys(value);
  return required.every((key) => keys.includes(key)) && keys.every((key) => [...required, ...optional].includes(key));
}

/** The email that every vendor must get for the message of the test. */
export function expectedMail(reference: string) {
  return {
    from: { name: 'Ffôn Cymru', address: 'ff.n.cymru@notifications.example' },
    to: 'ada@example.org',
    reply_to: 'reply@example.org',
    subject: 'About engines',
    text: 'Hello Ada\n',
    isPage: true,
    headers: {
      'Message-ID': `<${reference}@notifications.example>`,
      'List-Unsubscribe': '<https://example.org/stop>',
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    },
  };
}

export function isPage(html: unknown): boolean {
  return String(html).startsWith('<!DOCTYPE html>') && String(html).includes('Hello Ada');
}
