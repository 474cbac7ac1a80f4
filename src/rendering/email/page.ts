import { directionOf } from '../direction.ts';
import { escapeHtml, escapeQuotes, hrefOf } from '../escape.ts';

export type EmailBrandType = 'org' | 'both' | 'org_banner';

export interface EmailBrand {
  brand_type: EmailBrandType;
  /** As `#rrggbb`. */
  colour: string | null;
  /** The full URL of the logo. */
  logo_url: string | null;
  text: string | null;
  alt_text: string | null;
}

/** The banner above emails without a brand, or with a brand next to the platform's. */
export interface EmailPlatform {
  name: string;
  url?: string | null;
}

/** All three are already HTML. */
interface EmailTexts {
  subject: string;
  preheader: string;
  body: string;
}

const platformBlue = '#1d70b8';
const black = '#0b0c0c';
const fontStyle = 'font-family: Helvetica, Arial, sans-serif;';

const doctype = '<!DOCTYPE html>\n';
const inEnglish = '<html lang="en">';
const pageStart = `
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light">
<meta name="format-detection" content="telephone=no, date=no, address=no, email=no, url=no">
<title>`;
const afterTitle = `</title>
</head>
<body style="margin: 0; padding: 0; background-color: #ffffff; color: ${black}; ${fontStyle} font-size: 16px; -webkit-text-size-adjust: 100%;">
<span style="display: none; max-height: 0; overflow: hidden; font-size: 1px; color: #ffffff; mso-hide: all;">`;
/** Words may break, because a cell is as wide as its longest word: an address of 250 letters would overflow the column. */
const [beforeBody = '', afterBody = ''] =
  `${column(`<td style="padding: 10px; ${fontStyle} font-size: 19px; line-height: 25px; color: ${black}; word-break: break-word;">\n\0\n</td>`)}
${table(`<tr><td height="30" style="font-size: 0; line-height: 30px;">&nbsp;</td></tr>`)}
</body>
</html>
`.split('\0');

/**
 * Returns the HTML between the preheader and the body of every email with this brand. Uses tables, inline styles and `bgcolor`, because
 * Outlook lays out with Word and Gmail drops style sheets. The comment with `mso` gives Outlook the width that `max-width` gives other
 * clients.
 */
function renderEmailHead(brand: EmailBrand | null, platform: EmailPlatform): string {
  return `…</span>
${renderHeader(brand, platform)}${table(`<tr><td height="20" style="font-size: 0; line-height: 20px;">&nbsp;</td></tr>`)}
${beforeBody}`;
}

/** Returns the whole email. Many mail clients drop the root element, so a direction is set on the text as well. */
export function renderEmailPage({ subject, preheader, body }: EmailTexts, head: string, language?: string): string {
  if (language === undefined)
    return doctype + inEnglish + pageStart + subject + afterTitle + preheader + head + body + afterBody;
  const attributes = `lang="${language}"${directionOf(language) === 'rtl' ? ' dir="rtl"' : ''}`;
  const text = `<div ${attributes}>\n${body}\n</div>`;
  return `${doctype}<html ${attributes}>${pageStart}${subject}${afterTitle}${preheader}${head}${text}${afterBody}`;
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
  const style = `${fontStyle} font-size: 28px; line-height: 32px; font-weight: bold; color: #ffffff; text-decoration: none;`;
  const text = escapeHtml(name);
  const title = url
    ? `<a href="${hrefOf(escapeHtml(url))}" title="${escapeQuotes(text)}" style="${style}">${text}</a>`
    : `<span style="${style}">${text}</span>`;
  return banner(platformBlue, `<td style="padding: 14px 10px;">${title}</td>`);
}

/** Text without a logo is shown only in the banner: elsewhere it would look like part of the message. */
function renderLogoBlock(brand: EmailBrand): string {
  if (!brand.logo_url) return '';
  const colour = readColour(brand.colour);
  const border = colour ? ` border-left: 2px solid ${colour};` : '';
  return `${column(
    `<td style="padding: 20px 10px 0 10px;"><table role="presentation" cellpadding="0" cellspacing="0" border="0" style="border-collapse: collapse;"><tr>${`<td style="padding: 0 0 0 10px;${border}">${logo(brand)}</td>${brandText(brand, black)}`}</tr></table></td>`,
  )}\n`;
}

function renderOrganisationBanner(brand: EmailBrand): string {
  const image = brand.logo_url ? `<td style="padding: 0 10px 0 0;">${logo(brand)}</td>` : '';
  return banner(
    readColour(brand.colour) ?? black,
    `<td style="padding: 14px 10px;"><table role="presentation" cellpadding="0" cellspacing="0" border="0" style="border-collapse: collapse;"><tr>${image}${brandText(brand, '#ffffff')}</tr></table></td>`,
  );
}

/** A logo next to text is decorative, because it is small: screen readers skip it. */
function logo({ logo_url, text, alt_text }: EmailBrand): string {
  const height = text ? 27 : 54;
  const alternative = text ? 'alt="" aria-hidden="true"' : `alt="${escapeQuotes(escapeHtml(alt_text ?? ''))}"`;
  const source = hrefOf(escapeHtml(logo_url ?? ''));
  return `<img src="${source}" ${alternative} height="${height}" style="display: block; border: 0; height: ${height}px; width: auto;">`;
}

function brandText({ text }: EmailBrand, colour: string): string {
  if (!text) return '';
  const style = `${fontStyle} font-size: 19px; line-height: 22px; color: ${colour};`;
  return `<td style="padding: 3px 0 3px 10px; ${style}">${escapeHtml(text)}</td>`;
}

function readColour(colour: string | null): string | undefined {
  return colour && /^#[0-9a-f]{6}$/i.test(colour) ? colour : undefined;
}

function banner(colour: string, cells: string): string {
  return `${table(`<tr><td bgcolor="${colour}" style="background-color: ${colour};">${column(cells)}</td></tr>`)}\n`;
}

/** Returns a table with the full width of the window. */
function table(rows: string): string {
  return `<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="border-collapse: collapse; width: 100%;">${rows}</table>`;
}

/** Returns a centred column of 580 pixels, narrower in a narrow window. */
function column(cells: string): string {
  return `<!--[if mso]><table role="presentation" width="580" align="center" cellpadding="0" cellspacing="0" border="0"><tr><td><![endif]--><table role="presentation" width="100%" align="center" cellpadding="0" cellspacing="0" border="0" style="border-collapse: collapse; max-width: 580px; width: 100%; margin: 0 auto;"><tr>${cells}</tr></table><!--[if mso]></td></tr></table><![endif]-->`;
}

/** Caches the head for the most recent brand: a template belongs to one service, whose brand seldom changes. */
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
