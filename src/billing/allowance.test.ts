import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { somePastMessages } from '../../test/kit/builders/messages.ts';
import { aService } from '../../test/kit/builders/rows.ts';
import { useHarness } from '../../test/kit/harness.ts';
import { inTransaction } from '../platform/db/database.ts';
import { selectAllowance, selectDefault } from './allowance.sql.ts';
import {
  allowances,
  ensureAllowance,
  getAllowance,
  listImpliedAllowances,
  openFinancialYear,
  setAllowance,
} from './allowance.ts';

const harness = useHarness({ now: '2026-11-15T12:00:00Z' });

function inTx<T>(work: Parameters<typeof inTransaction<T>>[1]): Promise<T> {
  return inTransaction(harness.app.db, work);
}

const now = () => harness.clock.now();

describe('the default allowance', () => {
  it.each([
    ['central', [250000, 250000, 150000, 40000, 40000, 30000, 30000, 20000]],
    ['nhs_central', [250000, 250000, 150000, 40000, 40000, 30000, 30000, 20000]],
    ['local', [25000, 25000, 25000, 20000, 20000, 10000, 10000, 10000]],
    ['nhs_local', [25000, 25000, 25000, 20000, 20000, 10000, 10000, 10000]],
    ['emergency_service', [25000, 25000, 25000, 20000, 20000, 10000, 10000, 10000]],
    ['nhs_gp', [25000, 25000, 10000, 10000, 10000, 0, 0, 0]],
    ['school_or_college', [25000, 25000, 10000, 10000, 10000, 5000, 5000, 5000]],
    ['other', [25000, 25000, 10000, 10000, 10000, 5000, 5000, 5000]],
    [null, [25000, 25000, 10000, 10000, 10000, 5000, 5000, 5000]],
    ['nhs_notify', [0, 0, 0, 0, 0, 0, 0, 0]],
  ])('%s', async (type, expected) => {
    const years = [2016, 2020, 2021, 2022, 2023, 2024, 2025, 2026];
    const found = await Promise.all(years.map((year) => selectDefault(harness.app.db, type, year)));
    expect(found).toEqual(expected);
  });

  it('uses the nearest year before the first and after the last one defined', async () => {
    expect(await selectDefault(harness.app.db, 'central', 2010)).toBe(250000);
    expect(await selectDefault(harness.app.db, 'central', 2040)).toBe(20000);
  });
});

describe('ensureAllowance', () => {
  it('stores the default of the organisation type and year, once', async () => {
    const service = await aService(harness, { organisation_type: 'central' });
    const first = await inTx((tx) => ensureAllowance(harness.app.country, tx, service, 2022, now()));
    expect(first).toEqual({
      financial_year_start: 2022,
      free_sms_fragment_limit: 40000,
      has_custom_allowance: false,
      high_volume_service_last_year: false,
    });
    expect(await selectAllowance(harness.app.db, service, 2022)).toEqual(first);
    expect(await inTx((tx) => ensureAllowance(harness.app.country, tx, service, 2022, now()))).toEqual(first);
  });

  it('carries a custom allowance over from the year before', async () => {
    const service = await aService(harness);
    harness.clock.set('2026-03-31T12:00:00Z');
    await inTx((tx) => setAllowance(harness.app.country, tx, service, 777, now()));
    harness.clock.set('2026-11-15T12:00:00Z');
    expect(await inTx((tx) => ensureAllowance(harness.app.country, tx, service, 2026, now()))).toMatchObject({
      free_sms_fragment_limit: 777,
      has_custom_allowance: true,
    });
  });

  it('is zero after a year with 300,000 chargeable units, custom or not', async () => {
    const service = await aService(harness, { organisation_type: 'central' });
    const sms = { service_id: service, notification_type: 'sms' as const, status: 'delivered' as const };
    await somePastMessages(harness, [
      { ...sms, created_at: '2026-03-31T22:59:59Z', billable_units: 150_000, rate_multiplier: 2 },
      { ...sms, created_at: '2026-03-31T23:00:00Z', billable_units: 999_999 },
    ]);
    expect(await inTx((tx) => ensureAllowance(harness.app.country, tx, service, 2026, now()))).toMatchObject({
      free_sms_fragment_limit: 0,
      has_custom_allowance: false,
      high_volume_service_last_year: true,
    });
    const smaller = await aService(harness, { organisation_type: 'central' });
    await somePastMessages(harness, [
      { ...sms, service_id: smaller, created_at: '2026-03-31T22:59:59Z', billable_units: 299_999 },
    ]);
    expect(await inTx((tx) => ensureAllowance(harness.app.country, tx, smaller, 2026, now()))).toMatchObject({
      free_sms_fragment_limit: 20000,
      high_volume_service_last_year: false,
    });
  });

  it.each([2015, 2027])('rejects %i', async (year) => {
    const service = await aService(harness);
    await expect(inTx((tx) => ensureAllowance(harness.app.country, tx, service, year, now()))).rejects.toThrow(
      'Invalid financial year',
    );
    expect(await selectAllowance(harness.app.db, service, year)).toBeUndefined();
  });

  it('rejects an unknown service', async () => {
    const nowhere = '4f46df42-f795-4cc4-83bb-65ca312f49cc';
    await expect(inTx((tx) => ensureAllowance(harness.app.country, tx, nowhere, 2026, now()))).rejects.toThrow(
      'No result found',
    );
    await expect(inTx((tx) => setAllowance(harness.app.country, tx, nowhere, 1, now()))).rejects.toThrow(
      'No result found',
    );
  });
});

describe('setAllowance', () => {
  it('is custom unless it equals the default, and keeps the high-volume flag', async () => {
    const service = await aService(harness, { organisation_type: 'local' });
    await inTx((tx) => setAllowance(harness.app.country, tx, service, 9_999, now()));
    expect(await selectAllowance(harness.app.db, service, 2026)).toMatchObject({ has_custom_allowance: true });
    await harness.app.db
      .updateTable('annual_allowances')
      .set({ high_volume_service_last_year: true })
      .where('service_id', '=', service)
      .execute();
    await inTx((tx) => setAllowance(harness.app.country, tx, service, 10_000, now()));
    expect(await selectAllowance(harness.app.db, service, 2026)).toEqual({
      financial_year_start: 2026,
      free_sms_fragment_limit: 10_000,
      has_custom_allowance: false,
      high_volume_service_last_year: true,
    });
  });
});

describe('resetting an allowance', () => {
  it('overwrites a limit set this year, unless last year was custom too', async () => {
    const service = await aService(harness, { organisation_type: 'local' });
    await inTx((tx) => setAllowance(harness.app.country, tx, service, 5, now()));
    await inTx((tx) => allowances.reset(harness.app.country, tx, service, now()));
    expect(await selectAllowance(harness.app.db, service, 2026)).toMatchObject({
      free_sms_fragment_limit: 10_000,
      has_custom_allowance: false,
    });
  });
});

describe('the first of April', () => {
  it('creates missing allowances of active services; reading stores nothing', async () => {
    const active = await aService(harness, { organisation_type: 'local' });
    const archived = await aService(harness, { active: false });
    expect(await getAllowance(harness.app.country, harness.app.db, active, 2026, now())).toMatchObject({
      free_sms_fragment_limit: 10_000,
    });
    const implied = await listImpliedAllowances(harness.app.country, harness.app.db, 2026, now());
    expect(implied.find(({ service_id }) => service_id === active)).toMatchObject({ free_sms_fragment_limit: 10_000 });
    expect(implied.find(({ service_id }) => service_id === archived)).toMatchObject({ free_sms_fragment_limit: 5_000 });
    expect(await selectAllowance(harness.app.db, active, 2026)).toBeUndefined();

    await harness.addTask('create-allowances');
    await harness.runTasks();
    expect(await selectAllowance(harness.app.db, active, 2026)).toMatchObject({ free_sms_fragment_limit: 10_000 });
    expect(await selectAllowance(harness.app.db, archived, 2026)).toBeUndefined();
    expect(await inTx((tx) => openFinancialYear(harness.app.country, tx, now()))).toBe(0);
  });

  it('handles more services than a statement can have parameters', async () => {
    const services = 11_000;
    const first = await aService(harness);
    await sql`
      insert into services select copy.* from services s, generate_series(1, ${services}) n
      cross join lateral jsonb_populate_record(s,
        jsonb_build_object('id', gen_random_uuid(), 'name', n, 'normalised_name', n)) as copy
      where s.id = ${first}`.execute(harness.app.db);
    expect(await inTx((tx) => openFinancialYear(harness.app.country, tx, now()))).toBe(services + 1);
    expect(await inTx((tx) => openFinancialYear(harness.app.country, tx, now()))).toBe(0);
  });
});
