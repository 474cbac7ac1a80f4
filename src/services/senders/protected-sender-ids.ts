import type { TextSenderSettings } from '../settings.ts';

/** Whether the sender looks like the name of another organisation. */
export function isProtectedSenderId({ sms }: { sms: TextSenderSettings }, sender: string): boolean {
  return sms.protectedSenderIds.some((name) => comparable(name) === comparable(sender));
}

/** `H M R C`, `hmrc` and `H.M.R.C` look alike on a phone. */
function comparable(sender: string): string {
  return sender.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}
