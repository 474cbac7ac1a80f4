import { type Bounce, bounceInText, bounceOf, statusCodesIn } from './status-code.ts';

export type DeliveryStatus = Bounce | 'delivered' | 'delayed';

/** Blocks of `Name: value` lines, as in RFC 3464 and RFC 5965. Names are in lower case; the first of a name counts. */
export function fieldBlocks(text: string): Map<string, string>[] {
  const unfolded = text.replaceAll('\r\n', '\n').replaceAll(/\n[ \t]+(?=\S)/g, ' ');
  return unfolded.split(/\n[ \t]*\n/).map((block) => {
    const fields = new Map<string, string>();
    for (const [, name = '', value = ''] of block.matchAll(/^([\w-]+)[ \t]*:[ \t]*(.*)$/gm)) {
      const key = name.toLowerCase();
      if (!fields.has(key)) fields.set(key, value.trim());
    }
    return fields;
  });
}

/** The worst of what a delivery status notification says about its recipients. Undefined: it says nothing final. */
export function readDeliveryStatus(text: string): DeliveryStatus | undefined {
  const found = new Set(fieldBlocks(text).map(statusOfRecipient));
  return (['hard-bounce', 'soft-bounce', 'delivered', 'delayed'] as const).find((status) => found.has(status));
}

/** A message went to one recipient, but its mailbox may be an alias of several. */
function statusOfRecipient(fields: Map<string, string>): DeliveryStatus | undefined {
  const action = /^[a-z]+/.exec((fields.get('action') ?? '').toLowerCase())?.[0];
  const [code] = statusCodesIn(fields.get('status') ?? '');
  switch (action) {
    case 'failed':
      return failureOf(code, fields.get('diagnostic-code') ?? '');
    case 'delivered':
    case 'delayed':
      return action;
    case undefined:
      return code?.startsWith('5.') ? failureOf(code, fields.get('diagnostic-code') ?? '') : undefined;
    default:
      // `relayed` and `expanded`: the next server does not report, so nothing more will be known.
      return undefined;
  }
}

/** Many servers write 5.0.0 and leave the reason to the text. */
function failureOf(code: string | undefined, diagnostic: string): Bounce {
  const isPlain = code === undefined || code.endsWith('.0.0');
  const said = isPlain ? bounceInText(diagnostic) : undefined;
  return said ?? (code === undefined ? 'soft-bounce' : bounceOf(code));
}
