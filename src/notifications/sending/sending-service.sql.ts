import { jsonArrayFrom } from 'kysely/helpers/postgres';
import type { Db } from '../../platform/db/database.ts';

/** Loads everything about a service that accepting a message needs, in one round trip. */
export function selectSendingService(db: Db, serviceId: string, utcDay: string) {
  return db
    .selectFrom('services')
    .where('services.id', '=', serviceId)
    .select((service) => [
      'services.id',
      'services.restricted',
      'services.permissions',
      'services.rate_limit',
      'services.sms_message_limit',
      'services.email_message_limit',
      'services.letter_message_limit',
      'services.international_sms_message_limit',
      'services.contact_link',
      'services.email_sender_local_part',
      jsonArrayFrom(
        service
          .selectFrom('service_sms_senders as sender')
          .select(['sender.id', 'sender.sms_sender as text'])
          .whereRef('sender.service_id', '=', 'services.id')
          .where('sender.archived', '=', false),
      ).as('sms_senders'),
      jsonArrayFrom(
        service
          .selectFrom('service_email_reply_to as reply_to')
          .select(['reply_to.id', 'reply_to.email_address as text'])
          .whereRef('reply_to.service_id', '=', 'services.id')
          .where('reply_to.archived', '=', false),
      ).as('email_reply_tos'),
      jsonArrayFrom(
        service
          .selectFrom('service_members as member')
          .innerJoin('users', 'users.id', 'member.user_id')
          .select(['users.email_address', 'users.mobile_number'])
          .whereRef('member.service_id', '=', 'services.id')
          .where('users.state', '!=', 'inactive'),
      ).as('members'),
      jsonArrayFrom(
        service
          .selectFrom('service_guest_list as guest')
          .select('guest.recipient')
          .whereRef('guest.service_id', '=', 'services.id'),
      ).as('guests'),
      jsonArrayFrom(
        service
          .selectFrom('daily_message_counts as day')
          .select(['day.channel', 'day.count'])
          .whereRef('day.service_id', '=', 'services.id')
          .where('day.utc_day', '=', utcDay),
      ).as('counts'),
    ])
    .executeTakeFirst();
}
