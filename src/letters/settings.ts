import * as setting from '../platform/setting.ts';
import type { Values } from '../platform/setting-groups.ts';

export const printSettings = {
  printer: setting.text(
    'PRINT_PROVIDER',
    'Short lower-case name of the letter printer, as used in the path of its billing report.',
    { fallback: 'dvla' },
  ),
  handOff: setting.oneOf(
    'PRINT_HAND_OFF',
    '`folder`: letters are written to PRINT_FOLDER for the printer; `sftp`: they are uploaded to PRINT_SFTP_URL; `sandbox`: like `folder`, and they are marked as posted immediately.',
    ['sandbox', 'folder', 'sftp'],
    { fallback: 'sandbox' },
  ),
  printFolder: setting.optionalText(
    'PRINT_FOLDER',
    'Folder that the printer collects letters from, one folder per print run.',
    { fallbackText: '`outbox/print` in the data folder' },
  ),
  sftpUrl: setting.optionalUrl(
    'PRINT_SFTP_URL',
    'SFTP server of the printer: user, host and folder, for example `sftp://notify@sftp.printer.example/letters`.',
    ['sftp://'],
  ),
  sftpPassword: setting.optionalText('PRINT_SFTP_PASSWORD', 'Password at the SFTP server of the printer.', {
    secret: true,
  }),
  sftpKey: setting.optionalText(
    'PRINT_SFTP_KEY',
    'Private key for the SFTP server of the printer, without a passphrase.',
    {
      secret: true,
    },
  ),
  sftpHostKey: setting.optionalText(
    'PRINT_SFTP_HOST_KEY',
    'Fingerprint of the key of that server, as `ssh-keygen -l` prints it: `SHA256:...`. No other server gets letters.',
  ),
  sftpReportsFolder: setting.optionalText(
    'PRINT_SFTP_REPORTS_FOLDER',
    'Folder of that server where the printer puts reports about posted and returned letters, for example `/reports`. Without it none are read.',
  ),
};

export type PrintSettings = Values<typeof printSettings>;

export const pdfSettings = {
  pdfThreads: setting.integer(
    'PDF_THREADS',
    'Threads that render and read PDF files; one more is added for previews that would have to wait. 0: one fewer than the number of cores.',
    { fallback: 0, min: 0, max: 64 },
  ),
};

export function problemsOfPrinter({
  handOff,
  sftpUrl,
  sftpHostKey,
  sftpPassword,
  sftpKey,
  sftpReportsFolder,
}: Partial<PrintSettings>): string[] {
  if (handOff !== 'sftp') {
    return sftpReportsFolder === undefined ? [] : ['PRINT_SFTP_REPORTS_FOLDER needs PRINT_HAND_OFF=sftp'];
  }
  const named = { PRINT_SFTP_URL: sftpUrl, PRINT_SFTP_HOST_KEY: sftpHostKey };
  const missing = Object.entries(named).filter(([, value]) => value === undefined);
  return [
    ...missing.map(([name]) => `${name} must be set for PRINT_HAND_OFF=sftp`),
    ...(sftpPassword === undefined && sftpKey === undefined
      ? ['PRINT_SFTP_KEY or PRINT_SFTP_PASSWORD must be set for PRINT_HAND_OFF=sftp']
      : []),
    ...(sftpHostKey !== undefined && !/^SHA256:[A-Za-z0-9+/]{43}$/.test(sftpHostKey)
      ? ['PRINT_SFTP_HOST_KEY must be a fingerprint such as SHA256:... with 43 characters, as ssh-keygen -l prints it']
      : []),
    ...(sftpReportsFolder !== undefined && !/^(\/(?!\.\.?(\/|$))[^/]+)+$/.test(sftpReportsFolder)
      ? ['PRINT_SFTP_REPORTS_FOLDER must be the path of a folder such as /reports, without . and ..']
      : []),
  ];
}
