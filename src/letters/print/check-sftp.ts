import type { PrintSettings } from '../settings.ts';
import { reportFolders } from './report-files.ts';
import { SftpConnection } from './sftp-connection.ts';

/** Connects, and writes, moves and deletes a file where the server must allow it. Throws what is wrong and how to fix it. */
export async function checkSftp(settings: PrintSettings): Promise<void> {
  const { host } = new URL(settings.sftpUrl ?? '');
  const connection = await orSay(
    () => SftpConnection.open(settings),
    (reason) => `${host}: ${reason}: ${remedyOf(reason)}`,
  );
  try {
    const { home } = connection;
    await orSay(
      async () => {
        await connection.createFolder(home);
        await connection.tryToWrite(home);
      },
      (reason) =>
        `${home} cannot be written (${reason}): let the user create, rename and delete files there, or correct PRINT_SFTP_URL`,
    );
    if (settings.sftpReportsFolder !== undefined) await checkReports(connection, settings.sftpReportsFolder);
  } finally {
    await connection.close();
  }
}

async function checkReports(connection: SftpConnection, folder: string): Promise<void> {
  await orSay(
    async () => {
      for await (const _ of connection.list(folder, 1));
    },
    (reason) => `${folder} cannot be read (${reason}): create it, or correct PRINT_SFTP_REPORTS_FOLDER`,
  );
  for (const target of reportFolders(folder)) {
    await orSay(
      async () => {
        await connection.createFolder(target);
        await connection.tryToWrite(folder, target);
      },
      (reason) =>
        `files cannot be moved from ${folder} to ${target} (${reason}): let the user of PRINT_SFTP_URL do that`,
    );
  }
}

function remedyOf(reason: string): string {
  if (/PRINT_SFTP_HOST_KEY/.test(reason)) return 'ask the printer whether that key is right before you correct it';
  if (/authentication/i.test(reason))
    return 'correct the user in PRINT_SFTP_URL, and PRINT_SFTP_KEY or PRINT_SFTP_PASSWORD';
  if (/privateKey|key format/i.test(reason)) return 'correct PRINT_SFTP_KEY';
  return 'correct PRINT_SFTP_URL, and let this machine connect to that server';
}

async function orSay<T>(work: () => Promise<T>, say: (reason: string) => string): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new Error(say(error instanceof Error ? error.message : String(error)), { cause: error });
  }
}
