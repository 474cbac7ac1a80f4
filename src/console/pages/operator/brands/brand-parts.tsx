import type { FastifyReply } from 'fastify';
import { uploadedLogoPath } from '../../../../branding/email-logos.ts';
import { findLogo } from '../../../../letters/preview/letter-logo.ts';
import type { ConsoleApp } from '../../../console-app.ts';
import type { Sent } from '../../../page.ts';
import { sendSentFile } from '../../../parts/mail-frame.tsx';

export type Kind = 'email' | 'letter';

export const brandsOf = (kind: Kind) => `/operator/branding/${kind}`;
export const brandAddress = (kind: Kind, id: string) => `${brandsOf(kind)}/${id}`;

interface Look {
  brand_type: 'org' | 'both' | 'org_banner';
  colour: string | null;
  logo: string | null;
  text: string | null;
  alt_text: string | null;
}

/**
 * A small picture of the top of an email with this brand. Its name is beside it. Logos on other servers are not loaded; their alternative
 * text is shown instead.
 */
export function BrandMark({ brand_type, colour, logo, text, alt_text }: Look) {
  const isBanner = brand_type === 'org_banner';
  const path = uploadedLogoPath(logo);
  const shown = path ? text : (text ?? alt_text);
  return (
    <svg class="brand-mark" viewBox="0 0 160 54" preserveAspectRatio="xMidYMid slice" aria-hidden="true">
      <rect width="160" height="54" fill={isBanner ? (colour ?? '#0b0c0c') : '#fff'} />
      {!isBanner && colour && <rect x="8" y="10" width="2" height="34" fill={colour} />}
      {path && <image href={path} x="16" y="10" width={text ? 34 : 136} height="34" preserveAspectRatio="xMinYMid" />}
      {shown && (
        <text x={path ? 56 : 16} y="32" font-size="13" fill={isBanner ? '#fff' : '#0b0c0c'}>
          {shown.length > 20 ? `${shown.slice(0, 19)}…` : shown}
        </text>
      )}
    </svg>
  );
}

/** The logo of letters, rendered by the browser as an image, so that the file can neither run scripts nor load anything. */
export function LetterMark({ from }: { from: string }) {
  return <img class="brand-mark" src={from} alt="" loading="lazy" />;
}

/** Brands from another front end may have no logo yet. */
const blank = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 70 18"/>');

export async function sendLetterLogo(app: ConsoleApp, reply: FastifyReply, brandId: string): Promise<Sent> {
  const svg = (await findLogo(app, brandId)) ?? blank;
  return sendSentFile(reply.header('cache-control', 'no-cache'), 'image/svg+xml', svg);
}
