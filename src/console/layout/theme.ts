import type { FastifyRequest } from 'fastify';

export const themeCookie = 'pennypost_theme';
export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

/** Written into the page by the server, so that it never appears in the wrong colours first. */
export function themeOf({ headers }: Pick<FastifyRequest, 'headers'>): Theme {
  const [, name] = /(?:^|;\s*)pennypost_theme=(light|dark)(?:;|$)/.exec(headers.cookie ?? '') ?? [];
  return (name as Theme | undefined) ?? 'system';
}
