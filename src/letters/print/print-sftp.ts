import { posix } from 'node:path';
import type { PrintSettings } from '../settings.ts';
import { manifestOf, type PrintProvider } from './print-provider.ts';
import { SftpConnection } from './sftp-connection.ts';

/**
 * Uploads letters to the printer's SFTP server: one folder per print run, the manifest last. A letter that is already there with its full
 * length is not uploaded again, so an interrupted batch continues where it stopped.
 */
export function printSftp(
  settings: Pick<PrintSettings, 'sftpUrl' | 'sftpPassword' | 'sftpKey' | 'sftpHostKey'>,
): PrintProvider {
  return {
    async handOver(batch) {
      const connection = await SftpConnection.open(settings);
      try {
        const folder = posix.join(connection.home, batch.day);
        const sizes = await connection.sizesIn(folder);
        const upload = (name: string, content: Uint8Array) =>
          connection.replace(posix.join(folder, name), Buffer.from(content), sizes.has(name));
        for (const { name, pdf } of batch.letters) {
          if (sizes.get(name) !== pdf.length) await upload(name, pdf);
        }
        const { name, content } = manifestOf(batch);
        await upload(name, content);
      } finally {
        await connection.close();
      }
    },
  };
}
