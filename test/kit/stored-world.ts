import type { App } from '../../src/app.ts';
import type { NewNotification } from '../../src/notifications/notification.ts';
import { foldRollups } from '../../src/notifications/rollups/fold.ts';
import { addUpUsage } from '../../src/notifications/rollups/rollup-changes.sql.ts';
import { addUpChanges } from '../../src/notifications/rollups/rollup-changes.ts';
import { insertNotifications } from '../../src/notifications/sending/notifications.sql.ts';
import { recordStatusChanges, type StatusChange } from '../../src/notifications/status.ts';
import { timestamp } from '../../src/platform/clock.ts';
import { type Db, inTransaction } from '../../src/platform/db/database.ts';
import { newId } from '../../src/platform/id.ts';
import type { Harness } from './harness.ts';
import type { RawMessage, RawWorld } from './naive-figures.ts';
import { folds, statusesOf, type World } from './random-world.ts';

/** Files of recipients; a message is a row of one of them or of none. */
const jobs = [1, 2, 3].map((number) => `99999999-0000-4000-8000-00000000000${number}`);

const emptied = [
  'notifications',
  'delivery_queue',
  'daily_status_counts',
  'daily_usage',
  'status_count_changes',
  'usage_changes',
  'job_status_counts',
  'service_usage_spans',
  'service_status_spans',
  'template_status_totals',
  'platform_usage_totals',
  'platform_status_totals',
  'letter_despatches',
  'daily_despatches',
] as const;

/** Of the configuration. */
const emptiedInMain = ['annual_allowances', 'sms_rates', 'letter_rates'] as const;

type Message = World['batches'][number]['messages'][number];

/** A random world in the databases of a harness, with the messages of each service in its store. */
export class StoredWorld {
  private readonly harness: Harness;
  private readonly services: readonly string[];
  private readonly templates: readonly string[];

  constructor(harness: Harness, services: readonly string[], templates: readonly string[]) {
    this.harness = harness;
    this.services = services;
    this.templates = templates;
  }

  async replace(random: World): Promise<void> {
    const { stores } = this.harness.app;
    for (const { db } of stores.all) for (const table of emptied) await db.deleteFrom(table).execute();
    await this.replaceConfiguration(random);
    await this.despatch(random);
    for (const { messages, fold } of random.batches) {
      for (const app of stores.all) {
        const homes = await Promise.all(this.services.map((service) => stores.of(service)));
        await this.send(
          app,
          messages.filter(({ service }) => homes[service] === app),
        );
        // No two stores are in the same state.
        await addUp(app.db, folds[(folds.indexOf(fold) + app.store) % folds.length] ?? fold);
      }
    }
  }

  async read(): Promise<RawWorld> {
    const { db, stores } = this.harness.app;
    return {
      messages: await stores.collect(
        async (app) => (await app.db.selectFrom('notifications').selectAll().execute()) as RawMessage[],
      ),
      services: await db.selectFrom('services').selectAll().execute(),
      organisations: await db.selectFrom('organisations').select(['id', 'name']).execute(),
      allowances: await db.selectFrom('annual_allowances').selectAll().execute(),
      smsRates: await db.selectFrom('sms_rates').selectAll().execute(),
      letterRates: await db.selectFrom('letter_rates').selectAll().execute(),
      despatches: await stores.collect((app) => app.db.selectFrom('letter_despatches').selectAll().execute()),
      currentYear: 2026,
    };
  }

  private async replaceConfiguration(random: World): Promise<void> {
    const { db, configurationCopies } = this.harness.app;
    const created_at = timestamp(this.harness.clock.now());
    for (const table of emptiedInMain) await db.deleteFrom(table).execute();
    const smsRates = random.smsRates.map(({ from, rate }) => ({ valid_from: from, rate }));
    await db.insertInto('sms_rates').values(smsRates).execute();
    const letterRates = random.letterRates.map(({ from, postage, sheets, rate }) => ({
      post_class: postage,
      sheet_count: sheets,
      start_date: from,
      rate,
    }));
    if (letterRates.length > 0) await db.insertInto('letter_rates').values(letterRates).execute();
    for (const { service, year, limit, custom } of random.allowances) {
      await db
        .insertInto('annual_allowances')
        .values({
          service_id: this.services[service] ?? '',
          financial_year_start: year,
          free_sms_fragment_limit: limit,
          has_custom_allowance: custom,
          created_at,
        })
        .execute();
    }
    await configurationCopies.update();
  }

  private async despatch({ despatches }: World): Promise<void> {
    const now = this.harness.clock.now();
    for (const [index, { day, ...despatch }] of despatches.entries()) {
      const service_id = this.services[index % this.services.length] ?? '';
      const { db, store } = await this.harness.app.stores.of(service_id);
      const ids = { notification_id: newId(now, store), service_id };
      await db
        .insertInto('letter_despatches')
        .values({ ...ids, despatched_on: day, created_at: timestamp(now), ...despatch })
        .execute();
    }
  }

  private async send({ db, store }: Pick<App, 'db' | 'store'>, messages: Message[]): Promise<void> {
    const accepted = messages.map((random): NewNotification => {
      const created_at = timestamp(random.moment);
      return {
        id: newId(random.moment, store),
        service_id: this.services[random.service] ?? '',
        template_id: this.templates[random.template] ?? '',
        template_version: 1,
        notification_type: random.type,
        key_type: random.key_type as 'normal',
        api_key_id: null,
        created_by_id: null,
        status: 'created',
        client_reference: null,
        recipient: 'someone',
        normalised_recipient: 'someone',
        personalisation: {},
        reply_to_text: null,
        postage: random.type === 'letter' ? random.postage : null,
        international: random.multiplier > 1,
        rate_multiplier: random.type === 'sms' ? random.multiplier : 1,
        one_click_unsubscribe_url: null,
        scheduled_for: null,
        created_at,
        lane: null,
        due_at: created_at,
        ...(random.job === undefined ? {} : { job_id: jobs[random.job], job_row_number: 0 }),
      };
    });
    const changes = messages.flatMap(({ type, steps }, index): StatusChange[] =>
      steps.map(({ pick, event, provider, units, postage }) => ({
        id: accepted[index]?.id ?? '',
        status: statusesOf[type][pick % statusesOf[type].length] ?? 'sending',
        event,
        provider,
        // A letter has at most five sheets; six prove that a letter without a rate costs nothing and causes no error.
        billable_units:
          type === 'email' ? undefined : type === 'letter' && units !== undefined ? Math.min(units, 6) : units,
        postage: type === 'letter' ? postage : undefined,
      })),
    );
    await inTransaction(db, (tx) => insertNotifications(tx, accepted));
    await inTransaction(db, (tx) => recordStatusChanges(tx, changes, this.harness.clock.now()));
  }
}

async function addUp(db: Db, fold: (typeof folds)[number]): Promise<void> {
  if (fold === 'added up') await addUpChanges(db);
  if (fold === 'usage added up') await inTransaction(db, addUpUsage);
  if (fold === 'folded') await foldRollups(db);
}
