import type { FastifyRequest } from 'fastify';
import type { ComponentChildren } from 'preact';
import type { Language } from '../../language/language.ts';
import { assetPath } from './assets.ts';

interface DocumentProps {
  /** Page, then service, then product. */
  title: string;
  language: Language;
  theme: Theme;
  scripts: string[];
  children: ComponentChildren;
}

export function Document({ title, language, theme, scripts, children }: DocumentProps) {
  return (
    <html
      lang={language.locale}
      dir={language.direction === 'rtl' ? 'rtl' : undefined}
      data-theme={theme === 'system' ? undefined : theme}
    >
      <head>
        <meta charset="utf-8" />
        <title>{title}</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content={theme === 'system' ? 'light dark' : theme} />
        <link rel="icon" href={assetPath('icon.svg')} type="image/svg+xml" />
        <link rel="preload" href={assetPath('newsreader.woff2')} as="font" type="font/woff2" crossOrigin="anonymous" />
        <link rel="stylesheet" href={assetPath('console.css')} />
        {['console', ...scripts].map((name) => (
          <script key={name} type="module" src={assetPath(`${name}.js`)} />
        ))}
      </head>
      <body>{children}</body>
    </html>
  );
}

export const themeCookie = 'pennypost_theme';
export const themes = ['system', 'light', 'dark'] as const;
type Theme = (typeof themes)[number];

/** Rendered by the server, so that the page never appears in the wrong colours first. */
export function themeOf({ headers }: Pick<FastifyRequest, 'headers'>): Theme {
  const [, name] = /(?:^|;\s*)pennypost_theme=(light|dark)(?:;|$)/.exec(headers.cookie ?? '') ?? [];
  return (name as Theme | undefined) ?? 'system';
}
