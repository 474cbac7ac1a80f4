import { Failure, invalidField } from '../../../platform/failure.ts';
import { hasPassword, verifyPassword } from '../../../users/sign-in/sign-in.ts';
import type { ConsoleApp } from '../../console-app.ts';

/** Before a change that could take the account over. Wrong ones count as at the sign-in. */
export async function checkOwnPassword(
  app: ConsoleApp,
  userId: string,
  form: { current_password: string },
): Promise<void> {
  if (!(await hasPassword(app, userId))) {
    throw invalidField('current_password', 'Your account has no password. Choose one first.');
  }
  try {
    await verifyPassword(app, userId, form.current_password);
  } catch (error) {
    if (error instanceof Failure && error.kind === 'invalid') {
      throw invalidField('current_password', 'The password is wrong.');
    }
    throw error;
  }
}
