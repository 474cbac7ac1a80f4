import { expect } from 'vitest';
import type { Answer, Harness } from '../harness.ts';

/** The response has exactly this one error. */
export function expectError(response: Answer, status: number, error: string, message: string): void {
  expect(response.body).toEqual({ status_code: status, errors: [{ error, message }] });
  expect(response.status).toBe(status);
}

/** Undefined when nothing was stored. */
export function storedMessage({ app }: Pick<Harness, 'app'>, id: string) {
  return app.db.selectFrom('notifications').selectAll().where('id', '=', id).executeTakeFirst();
}
