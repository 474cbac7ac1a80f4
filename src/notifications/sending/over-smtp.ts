import { type SecretBox, tagLength } from '../../platform/secrets/secrets.ts';

/** Headers with which an email from other software refers to its conversation. */
export type KeptHeaders = Partial<Record<'In-Reply-To' | 'References' | 'Auto-Submitted', string>>;

type Values = Record<string, unknown>;

/**
 * The key of these headers among the values of a message that arrived over SMTP. No placeholder can have this name, so no request and no
 * file can set it.
 */
const reserved = '(smtp)';

export function withKeptHeaders(values: Values, headers: KeptHeaders): Values {
  return { ...values, [reserved]: headers };
}

/** Returns undefined for a message that did not arrive over SMTP. */
export function keptHeadersOf(values: Values): KeptHeaders | undefined {
  return values[reserved] as KeptHeaders | undefined;
}

export function withoutKeptHeaders(values: Values): Values {
  if (!Object.hasOwn(values, reserved)) return values;
  const { [reserved]: _, ...others } = values;
  return others;
}

/** The header by which the inlet recognises an email that it has sent itself. Some providers replace the Message-ID. */
export const ownMailHeader = 'X-Pennypost-Message';

const purpose = 'message-over-smtp';
const mark = new RegExp(`^([0-9a-f-]{36})\\.([0-9a-z]{${tagLength}})$`, 'i');

/** Signed, so that emails of another installation do not look like our own. */
export function ownMailMark(secrets: SecretBox, id: string): string {
  return `${id}.${secrets.tag(purpose, id)}`;
}

export function isOwnMailMark(secrets: SecretBox, text: string): boolean {
  const [, id = '', tag = ''] = mark.exec(text.trim().toLowerCase()) ?? [];
  return id !== '' && secrets.isTag(purpose, id, tag);
}
