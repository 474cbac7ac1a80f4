import { expect } from 'vitest';
import type { Answer, Harness } from '../harness.ts';

/** Expects exactly this one error in the response. */
export function expectError(response: Answer, status: number, error: string, message: string): void {
  expect(response.body).toEqual({ status_code: status, errors: [{ error, message }] });
  expect(response.status).toBe(status);
}

/** Returns undefined if nothing was stored. */
export function storedMessage({ app }: Pick<Harness, 'app'>, id: string) {
  return app.db.selectFrom('notifications').selectAll().where('id', '=', id).executeTakeFirst();
}
