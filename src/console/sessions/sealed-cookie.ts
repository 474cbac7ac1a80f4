import type { FastifyReply, FastifyRequest } from 'fastify';
import { later, minute_ms, timestamp } from '../../platform/clock.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Urls } from '../../platform/settings.ts';
import { cookieNames, cookieOptions } from './cookies.ts';

type Deps = Platform & { config: { urls: Urls } };

const lifetime_ms = 30 * minute_ms;

type Name = 'signIn' | 'change' | 'newKey' | 'singleSignOn';

/** Something between two steps of one person, encrypted: what is never finished leaves nothing behind. */
export class SealedCookie<Value extends object> {
  private readonly name: Name;

  constructor(name: Name) {
    this.name = name;
  }

  keep(app: Deps, reply: FastifyReply, value: Value): void {
    const expires_at = timestamp(later(app.clock.now(), lifetime_ms));
    const sealed = app.secrets.encrypt(`console:${this.name}`, JSON.stringify({ value, expires_at }));
    reply.setCookie(cookieNames(app.config)[this.name], sealed, {
      ...cookieOptions(app.config),
      maxAge: lifetime_ms / 1_000,
    });
  }

  read(app: Deps, request: FastifyRequest): Value | undefined {
    const text = app.secrets.decrypt(`console:${this.name}`, request.cookies[cookieNames(app.config)[this.name]] ?? '');
    if (!text) return undefined;
    // What decrypts was written here, so its shape needs no validation.
    const { value, expires_at } = JSON.parse(text.toString()) as { value: Value; expires_at: string };
    return expires_at <= timestamp(app.clock.now()) ? undefined : value;
  }

  forget(app: Deps, reply: FastifyReply): void {
    reply.clearCookie(cookieNames(app.config)[this.name], cookieOptions(app.config));
  }
}
