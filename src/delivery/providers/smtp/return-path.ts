import { uuidOfHex } from '../../../platform/id.ts';
import { type SecretBox, tagLength } from '../../../platform/secrets/secrets.ts';

/** The message id without hyphens, and its signature. In lower case, because some mail servers change the case of addresses. */
const signedId = new RegExp(`(?<![0-9a-z])([0-9a-f]{32})\\.([0-9a-z]{${tagLength}})(?![0-9a-z])`, 'gi');
const signedIdLength = 32 + 1 + tagLength;
/** Max length of a local part (RFC 5321). */
const maxLocalPart = 64;

/** Splits a pattern such as `bounces+*@example.org` around the signed id. An address without `*` gets the id after a plus sign. */
function partsOf(pattern: string): { before: string; localAfter: string; domain: string } | undefined {
  const [, local = '', domain = ''] = /^([\w.+=*-]+)@([a-z0-9](?:[a-z0-9.-]*[a-z0-9])?)$/i.exec(pattern) ?? [];
  const [before = '', localAfter = '', ...more] = (local.includes('*') ? local : `${local}+*`).split('*');
  return domain === '' || more.length > 0 ? undefined : { before, localAfter, domain };
}

export function problemOfReturnPath(pattern: string): string | undefined {
  const parts = partsOf(pattern);
  if (!parts) return 'must be an address such as bounces@example.org, or bounces+*@example.org where * is the tag';
  const room = maxLocalPart - signedIdLength;
  const used = parts.before.length + parts.localAfter.length;
  return used > room ? `may have at most ${room} characters before the @ besides the tag` : undefined;
}

/**
 * The addresses to which mail servers report about our messages, one per message (VERP). Each is signed, so that only those who received
 * the message can report about it.
 */
export class ReturnPaths {
  private readonly secrets: SecretBox;
  private readonly before: string;
  private readonly localAfter: string;
  private readonly domain: string;

  constructor(pattern: string, secrets: SecretBox) {
    const parts = partsOf(pattern);
    if (!parts) throw new Error('The return path is not an address');
    this.before = parts.before;
    this.localAfter = parts.localAfter;
    this.domain = parts.domain;
    this.secrets = secrets;
  }

  /** Returns the return path of a message, at this domain or at the installation's. */
  addressOf(id: string, domain = this.domain): string {
    return `${this.before}${this.signed(id)}${this.localAfter}@${domain}`;
  }

  /** Returns the signed id, for reports that do not name the address. */
  signed(id: string): string {
    return `${id.replaceAll('-', '')}.${this.secrets.tag('return-path', id)}`;
  }

  /** Returns the message that this address is the return path of. */
  idOfAddress(address: string): string | undefined {
    const id = this.findId(address);
    return id !== undefined && this.sameAddress(address) ? id : undefined;
  }

  /** Returns the id of the first signed id in a text. */
  findId(text: string): string | undefined {
    for (const [, hex = '', tag = ''] of text.matchAll(signedId)) {
      const id = uuidOfHex(hex.toLowerCase());
      if (this.secrets.isTag('return-path', id, tag.toLowerCase())) return id;
    }
    return undefined;
  }

  /** Accepts any domain: a sending domain may have its own, and only we can create valid signatures. */
  private sameAddress(address: string): boolean {
    const text = address.toLowerCase().slice(0, address.lastIndexOf('@'));
    const { before, localAfter } = this;
    const isAround = text.startsWith(before.toLowerCase()) && text.endsWith(localAfter.toLowerCase());
    return isAround && text.length === before.length + signedIdLength + localAfter.length;
  }
}
