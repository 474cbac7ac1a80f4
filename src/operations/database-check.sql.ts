import { sql } from 'kysely';
import type { Platform } from '../platform/platform.ts';

export async function databaseAnswers(app: Pick<Platform, 'db' | 'log'>): Promise<boolean> {
  try {
    await sql`select 1`.execute(app.db);
    return true;
  } catch (error) {
    app.log.warn({ err: error }, 'the database did not answer the status check');
    return false;
  }
}
