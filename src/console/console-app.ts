import type { Config } from '../config.ts';
import type { PdfThreads } from '../letters/pdf-threads.ts';
import type { Platform } from '../platform/platform.ts';
import type { AccountMessageSender } from '../users/account-messages/account-messages.ts';

/** What the pages use of the application. */
export type ConsoleApp = Platform & {
  config: Config;
  accountMessages: AccountMessageSender;
  pdfThreads: PdfThreads;
};
