import type { CookieSerializeOptions } from '@fastify/cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { later, minute_ms, timestamp } from '../../platform/clock.ts';
import { isUuid } from '../../platform/id.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Urls } from '../../platform/settings.ts';

interface Config {
  urls: Urls;
}

interface Deps {
  config: Config;
}

/** Over https, the names have a prefix with which browsers ensure that no other host has set them. */
export function cookieNames({ urls }: Config) {
  const prefix = isSecure({ urls }) ? '__Host-' : '';
  return {
    session: `${prefix}pennypost_session`,
    /** A sign-in that waits for its second step. */
    signIn: `${prefix}pennypost_sign_in`,
    /** A change of the account that waits for its second step. */
    change: `${prefix}pennypost_change`,
    /** A security key that has a name but is not registered yet. */
    newKey: `${prefix}pennypost_new_key`,
    /** A sign-in that was started at the single sign-on issuer. */
    singleSignOn: `${prefix}pennypost_single_sign_on`,
    notice: `${prefix}pennypost_notice`,
    /** The service that was opened last. */
    service: `${prefix}pennypost_service`,
  };
}

/** Lax, so that a link in an email opens the page as the person who is signed in. */
export function cookieOptions({ urls }: Config): CookieSerializeOptions {
  return { path: '/', httpOnly: true, sameSite: 'lax', secure: isSecure({ urls }) };
}

function isSecure({ urls }: Config): boolean {
  return urls.api.startsWith('https://');
}

/** Keeps a notice about the last form for the next page. */
export function setNotice(app: Deps, reply: FastifyReply, text: string): void {
  const value = Buffer.from(text).toString('base64url');
  reply.setCookie(cookieNames(app.config).notice, value, { ...cookieOptions(app.config), maxAge: 60 });
}

export function takeNotice(app: Deps, request: FastifyRequest, reply: FastifyReply): string | undefined {
  const name = cookieNames(app.config).notice;
  const value = request.cookies[name];
  if (!value) return undefined;
  reply.clearCookie(name, cookieOptions(app.config));
  return Buffer.from(value, 'base64url').toString();
}

const lifetime_ms = 30 * minute_ms;

type Name = 'signIn' | 'change' | 'newKey' | 'singleSignOn';

/** Encrypted state between two steps of one person. Stored only in the cookie, so that abandoned steps leave nothing on the server. */
export class EncryptedCookie<Value extends object> {
  private readonly name: Name;

  constructor(name: Name) {
    this.name = name;
  }

  set(app: Platform & Deps, reply: FastifyReply, value: Value): void {
    const expires_at = timestamp(later(app.clock.now(), lifetime_ms));
    const encrypted = app.secrets.encrypt(`console:${this.name}`, JSON.stringify({ value, expires_at }));
    reply.setCookie(cookieNames(app.config)[this.name], encrypted, {
      ...cookieOptions(app.config),
      maxAge: lifetime_ms / 1_000,
    });
  }

  read(app: Platform & Deps, request: FastifyRequest): Value | undefined {
    const text = app.secrets.decrypt(`console:${this.name}`, request.cookies[cookieNames(app.config)[this.name]] ?? '');
    if (!text) return undefined;
    // A value that decrypts was created by this application, so its shape needs no validation.
    const { value, expires_at } = JSON.parse(text.toString()) as { value: Value; expires_at: string };
    return expires_at <= timestamp(app.clock.now()) ? undefined : value;
  }

  clear(app: Deps, reply: FastifyReply): void {
    reply.clearCookie(cookieNames(app.config)[this.name], cookieOptions(app.config));
  }
}

const year_s = 365 * 86_400;

/** Returns the service that this browser opened last. Only a hint: the rights of the visitor are still checked. */
export function findLastService(app: Deps, request: FastifyRequest): string | undefined {
  const id = request.cookies[cookieNames(app.config).service];
  return id !== undefined && isUuid(id) ? id : undefined;
}

export function setLastService(app: Deps, request: FastifyRequest, reply: FastifyReply, id: string): void {
  if (findLastService(app, request) === id) return;
  reply.setCookie(cookieNames(app.config).service, id, { ...cookieOptions(app.config), maxAge: year_s });
}
