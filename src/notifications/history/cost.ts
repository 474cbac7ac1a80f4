import { type Static, Type } from 'typebox';
import { Nullable } from '../../protocol/fields.ts';
import type { Status } from '../notification.ts';
import type { PricedNotification } from './stored-notifications.sql.ts';

export const Cost = Type.Object({
  cost_in_pounds: Nullable(Type.Number()),
  is_cost_data_ready: Type.Boolean(),
  cost_details: Type.Object({
    billable_sms_fragments: Type.Optional(Type.Integer()),
    international_rate_multiplier: Type.Optional(Type.Number()),
    sms_rate: Type.Optional(Type.Number()),
    billable_sheets_of_paper: Type.Optional(Type.Integer()),
    postage: Type.Optional(Type.String()),
  }),
});

export type Cost = Static<typeof Cost>;

const notReady: Cost = { cost_in_pounds: null, is_cost_data_ready: false, cost_details: {} };
const neverPrinted = new Set<Status>(['cancelled', 'technical-failure', 'validation-failed', 'virus-scan-failed']);

/** Available once the message was handed to a provider. Messages of test keys cost nothing. */
export function costOf(stored: PricedNotification): Cost {
  const { notification_type, status, billable_units } = stored;
  const pounds = stored.key_type === 'test' ? 0 : Number(stored.cost ?? 0);
  if (notification_type === 'email') return { cost_in_pounds: 0, is_cost_data_ready: true, cost_details: {} };
  if (notification_type === 'sms') {
    if (status === 'created' && billable_units === 0) return notReady;
    return {
      cost_in_pounds: pounds,
      is_cost_data_ready: true,
      cost_details: {
        billable_sms_fragments: billable_units,
        international_rate_multiplier: stored.rate_multiplier,
        sms_rate: Number(stored.rate ?? 0),
      },
    };
  }
  if (status === 'pending-virus-check' || (status === 'created' && billable_units === 0)) return notReady;
  const printed = !neverPrinted.has(status);
  return {
    cost_in_pounds: printed ? pounds : 0,
    is_cost_data_ready: true,
    cost_details: {
      billable_sheets_of_paper: printed ? billable_units : 0,
      postage: stored.postage ?? 'second',
    },
  };
}
