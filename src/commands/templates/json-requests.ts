import { createHmac } from 'node:crypto';
import { systemClock } from '../../platform/clock.ts';
import { OperatorError } from '../../platform/failure.ts';
import { Connection, notRepeatable, repeatable } from '../connection.ts';

export class RequestRefused extends OperatorError {
  readonly status: number;

  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
}

/** Sends JSON requests, and reports errors with the server's messages. */
export class JsonRequests {
  private readonly connection: Connection;
  private readonly token: () => string;

  constructor(url: string, token: () => string) {
    this.connection = new Connection(url);
    this.token = token;
  }

  async get<Body>(path: string): Promise<Body> {
    const body = await this.bodyOf<Body>(this.connection.retry(() => this.fetch(path), repeatable));
    if (typeof body !== 'object' || body === null) throw this.notJson();
    return body;
  }

  /** Returns undefined if the server responds with not found. */
  async find<Body>(path: string): Promise<Body | undefined> {
    try {
      return await this.get<Body>(path);
    } catch (error) {
      if (error instanceof RequestRefused && error.status === 404) return undefined;
      throw error;
    }
  }

  post<Body>(path: string, body: object): Promise<Body> {
    const init = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    };
    return this.bodyOf(this.connection.retry(() => this.fetch(path, init), notRepeatable));
  }

  private fetch(path: string, init: { headers?: object } & Omit<RequestInit, 'headers'> = {}): Promise<Response> {
    const headers = { ...init.headers, authorization: `Bearer ${this.token()}` };
    return fetch(`${this.connection.root}${path}`, { ...init, headers });
  }

  private async bodyOf<Body>(responding: Promise<Response>): Promise<Body> {
    const response = await responding;
    const text = await response.text().catch((error) => {
      throw new OperatorError(`The response of ${this.connection.root} was cut off: ${String(error)}`);
    });
    if (!response.ok) throw new RequestRefused(messageOf(text, response.status), response.status);
    if (text === '') return undefined as Body;
    try {
      return JSON.parse(text) as Body;
    } catch {
      throw this.notJson();
    }
  }

  private notJson(): OperatorError {
    return new OperatorError(`${this.connection.root} did not respond with JSON: is this the address of the API?`);
  }
}

export function listOf<Item>(items: Item[] | undefined, what: string): Item[] {
  if (Array.isArray(items)) return items;
  throw new OperatorError(`The server did not send its ${what}: is this the address of the API?`);
}

/** Reads both error formats of the protocol. */
function messageOf(text: string, status: number): string {
  const fallback = `The server responded with ${status}.`;
  try {
    const { errors, message } = JSON.parse(text) as { errors?: { message: string }[]; message?: string | object };
    if (errors) return errors.map((error) => error.message).join('\n');
    if (typeof message === 'string') return message;
    const fields = Object.entries(message ?? {}).map(([field, texts]) => `${field}: ${[texts].flat().join(', ')}`);
    return fields.length > 0 ? fields.join('\n') : fallback;
  } catch {
    return fallback;
  }
}

/** Creates a token of the Notify protocol, valid for 30 seconds. */
export function signedToken(issuer: string, secret: string): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = { iss: issuer, iat: Math.floor(systemClock.now().getTime() / 1000) };
  const signed = `${part({ typ: 'JWT', alg: 'HS256' })}.${part(claims)}`;
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
}
