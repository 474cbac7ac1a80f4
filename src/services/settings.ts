import * as setting from '../platform/setting.ts';
import type { Values } from '../platform/setting-groups.ts';

export const textSenderSettings = {
  defaultSender: setting.text('FROM_NUMBER', 'Default text message sender of a new service; at most 11 characters.', {
    fallback: 'PENNYPOST',
  }),
  protectedSenderIds: setting.list(
    'PROTECTED_SENDER_IDS',
    'Comma-separated sender names of other organisations that services must not send text messages as.',
    { fallback: [], fallbackText: '(unset)' },
  ),
};

export type TextSenderSettings = Values<typeof textSenderSettings>;

export const callbackSettings = {
  allowPrivate: setting.flag(
    'CALLBACK_ALLOW_PRIVATE',
    'Allow service callbacks to loopback and private addresses, and plain http to those. A demo whose HOST and BASE_URL are loopback addresses allows loopback in any case.',
    { fallback: false },
  ),
  retryDelays_ms: setting.secondsList(
    'CALLBACK_RETRY_DELAYS_S',
    'Delays in seconds before each retry of a service callback; the default adds up to a day.',
    { fallback: [5, 30, 120, 300, 900, 1800, 3600, 7200, 10_800, 14_400, 21_600, 25_200] },
  ),
};

export type CallbackSettings = Values<typeof callbackSettings> & {
  /** Allows loopback URLs: in a demo that only this machine can reach, everybody who can set a callback is on this machine anyway. */
  allowLoopback: boolean;
};
