import type { FastifyReply } from 'fastify';
import { findLogo } from '../../../../letters/preview/letter-logo.ts';
import type { ConsoleApp } from '../../../console-app.ts';
import type { Sent } from '../../../page.ts';
import { sendSentFile } from '../../sandbox/mail-frame.ts';

/** Brands that another front end made may have no logo yet. */
const blank = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 70 18"/>');

export async function sendLetterLogo(app: ConsoleApp, reply: FastifyReply, brandId: string): Promise<Sent> {
  const svg = (await findLogo(app, brandId)) ?? blank;
  return sendSentFile(reply.header('cache-control', 'no-cache'), 'image/svg+xml', svg);
}
