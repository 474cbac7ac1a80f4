import { escapeHtml, escapeQuotes } from '../escape.ts';
import { hrefOf } from '../href.ts';

export type EmailBrandType = 'org' | 'both' | 'org_banner';

export type EmailBrand = {
  brand_type: EmailBrandType;
  /** `#rrggbb` */
  colour: string | null;
  /** The whole address of the logo. */
  logo_url: string | null;
  text: string | null;
  alt_text: string | null;
};

/** Whose banner stands above emails that have no brand, or a brand beside ours. */
export type EmailPlatform = { name: string; url?: string | null };

/** All three are HTML already. */
type EmailTexts = { subject: string; preheader: string; body: string };

const PLATFORM_BLUE = '#1d70b8';
const BLACK = '#0b0c0c';
const FONT = 'font-family: Helvetica, Arial, sans-serif;';

const START = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light">
<meta name="format-detection" content="telephone=no, date=no, address=no, email=no, url=no">
<title>`;
const AFTER_TITLE = `</title>
</head>
<body style="margin: 0; padding: 0; background-color: #ffffff; color: ${BLACK}; ${FONT} font-size: 16px; -webkit-text-size-adjust: 100%;">
<span style="display: none; max-height: 0; overflow: hidden; font-size: 1px; color: #ffffff; mso-hide: all;">`;
const [BEFORE_BODY = '', AFTER_BODY = ''] =
  `${column(`<td style="padding: 10px; ${FONT} font-size: 19px; line-height: 25px; color: ${BLACK};">\n\0\n</td>`)}
${table(`<tr><td height="30" style="font-size: 0; line-height: 30px;">&nbsp;</td></tr>`)}
</body>
</html>
`.split('\0');

/**
 * What stands between the preheader and the body of every email with this brand. Tables, inline styles and `bgcolor`,
 * because Outlook lays out with Word and Gmail drops style sheets; the comment with `mso` gives Outlook the width that
 * `max-width` gives all others.
 */
function renderEmailHead(brand: EmailBrand | null, platform: EmailPlatform): string {
  return `…</span>
${renderHeader(brand, platform)}${table(`<tr><td height="20" style="font-size: 0; line-height: 20px;">&nbsp;</td></tr>`)}
${BEFORE_BODY}`;
}

/** The whole email. */
export function renderEmailPage({ subject, preheader, body }: EmailTexts, head: string): string {
  return START + subject + AFTER_TITLE + preheader + head + body + AFTER_BODY;
}

function renderHeader(brand: EmailBrand | null, platform: EmailPlatform): string {
  if (brand === null) return renderPlatformBanner(platform);
  switch (brand.brand_type) {
    case 'org':
      return renderLogoBlock(brand);
    case 'both':
      return renderPlatformBanner(platform) + renderLogoBlock(brand);
    case 'org_banner':
      return renderOrganisationBanner(brand);
  }
}

function renderPlatformBanner({ name, url }: EmailPlatform): string {
  const style = `${FONT} font-size: 28px; line-height: 32px; font-weight: bold; color: #ffffff; text-decoration: none;`;
  const text = escapeHtml(name);
  const title = url
    ? `<a href="${hrefOf(escapeHtml(url))}" title="${escapeQuotes(text)}" style="${style}">${text}</a>`
    : `<span style="${style}">${text}</span>`;
  return banner(PLATFORM_BLUE, `<td style="padding: 14px 10px;">${title}</td>`);
}

/** Text without a logo is shown in the banner only: beside nothing it would look like part of the message. */
function renderLogoBlock(brand: EmailBrand): string {
  if (!brand.logo_url) return '';
  const colour = readColour(brand.colour);
  const border = colour ? ` border-left: 2px solid ${colour};` : '';
  return `${column(
    `<td style="padding: 20px 10px 0 10px;"><table role="presentation" cellpadding="0" cellspacing="0" border="0" style="border-collapse: collapse;"><tr>${`<td style="padding: 0 0 0 10px;${border}">${logo(brand)}</td>${brandText(brand, BLACK)}`}</tr></table></td>`,
  )}\n`;
}

function renderOrganisationBanner(brand: EmailBrand): string {
  const image = brand.logo_url ? `<td style="padding: 0 10px 0 0;">${logo(brand)}</td>` : '';
  return banner(
    readColour(brand.colour) ?? BLACK,
    `<td style="padding: 14px 10px;"><table role="presentation" cellpadding="0" cellspacing="0" border="0" style="border-collapse: collapse;"><tr>${image}${brandText(brand, '#ffffff')}</tr></table></td>`,
  );
}

/** Beside a text the logo only decorates: it is small, and screen readers pass over it. */
function logo({ logo_url, text, alt_text }: EmailBrand): string {
  const height = text ? 27 : 54;
  const alternative = text ? 'alt="" aria-hidden="true"' : `alt="${escapeQuotes(escapeHtml(alt_text ?? ''))}"`;
  const source = hrefOf(escapeHtml(logo_url ?? ''));
  return `<img src="${source}" ${alternative} height="${height}" style="display: block; border: 0; height: ${height}px; width: auto;">`;
}

function brandText({ text }: EmailBrand, colour: string): string {
  if (!text) return '';
  const style = `${FONT} font-size: 19px; line-height: 22px; color: ${colour};`;
  return `<td style="padding: 3px 0 3px 10px; ${style}">${escapeHtml(text)}</td>`;
}

function readColour(colour: string | null): string | undefined {
  return colour && /^#[0-9a-f]{6}$/i.test(colour) ? colour : undefined;
}

function banner(colour: string, cells: string): string {
  return `${table(`<tr><td bgcolor="${colour}" style="background-color: ${colour};">${column(cells)}</td></tr>`)}\n`;
}

/** The full width of the window. */
function table(rows: string): string {
  return `<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="border-collapse: collapse; width: 100%;">${rows}</table>`;
}

/** The column of 580 pixels in the middle, narrower where the window is. */
function column(cells: string): string {
  return `<!--[if mso]><table role="presentation" width="580" align="center" cellpadding="0" cellspacing="0" border="0"><tr><td><![endif]--><table role="presentation" width="100%" align="center" cellpadding="0" cellspacing="0" border="0" style="border-collapse: collapse; max-width: 580px; width: 100%; margin: 0 auto;"><tr>${cells}</tr></table><!--[if mso]></td></tr></table><![endif]-->`;
}

/** The head for the brand of the last email: a template is sent by one service, whose brand seldom changes. */
export function rememberingEmailHead(): typeof renderEmailHead {
  let key = '';
  let head: string | undefined;
  return (brand, platform) => {
    const wanted = JSON.stringify([brand, platform]);
    if (head === undefined || wanted !== key) {
      head = renderEmailHead(brand, platform);
      key = wanted;
    }
    return head;
  };
}
