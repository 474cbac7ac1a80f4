import type { Seed } from '../../platform/db/seed.ts';
import { type BuiltInProvider, insertMissingProviders, updateProviderFacts } from './provider-details.sql.ts';

/** Every built-in provider. The configuration decides which of them are in use. */
const providers: BuiltInProvider[] = [
  {
    id: '2e3a6c1e-6f0f-4f0c-9c9a-9d3f3a5d1c01',
    identifier: 'mmg',
    display_name: 'MMG',
    notification_type: 'sms',
    priority: 51,
    supports_international: true,
  },
  {
    id: '2e3a6c1e-6f0f-4f0c-9c9a-9d3f3a5d1c02',
    identifier: 'firetext',
    display_name: 'Firetext',
    notification_type: 'sms',
    priority: 49,
    supports_international: false,
  },
  {
    id: '2e3a6c1e-6f0f-4f0c-9c9a-9d3f3a5d1c03',
    identifier: 'twilio',
    display_name: 'Twilio',
    notification_type: 'sms',
    priority: 50,
    supports_international: true,
  },
  {
    id: '2e3a6c1e-6f0f-4f0c-9c9a-9d3f3a5d1c04',
    identifier: 'sandbox',
    display_name: 'Sandbox',
    notification_type: 'sms',
    priority: 50,
    supports_international: true,
  },
  {
    id: '2e3a6c1e-6f0f-4f0c-9c9a-9d3f3a5d1c05',
    identifier: 'ses',
    display_name: 'Amazon SES',
    notification_type: 'email',
    priority: 50,
    supports_international: false,
  },
  {
    id: '2e3a6c1e-6f0f-4f0c-9c9a-9d3f3a5d1c06',
    identifier: 'smtp',
    display_name: 'SMTP',
    notification_type: 'email',
    priority: 50,
    supports_international: false,
  },
  {
    id: '2e3a6c1e-6f0f-4f0c-9c9a-9d3f3a5d1c07',
    identifier: 'sandbox',
    display_name: 'Sandbox',
    notification_type: 'email',
    priority: 50,
    supports_international: false,
  },
  {
    id: '2e3a6c1e-6f0f-4f0c-9c9a-9d3f3a5d1c08',
    identifier: 'dvla',
    display_name: 'DVLA',
    notification_type: 'letter',
    priority: 100,
    supports_international: false,
  },
];

/** Priority and whether it is active belong to the operator once the row exists; name and abilities follow the list. */
export const seedProviders: Seed = async (tx) => {
  await insertMissingProviders(tx, providers);
  await updateProviderFacts(tx, providers);
};
