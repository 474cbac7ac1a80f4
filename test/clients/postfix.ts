import { execFile } from 'node:child_process';
import { chmod, chown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { programPath } from '../ha/kit/programs.ts';

const execute = promisify(execFile);
const env = { PATH: programPath };

/** Postfix in a folder of its own, which hands everything over to one relay, as the mail server of an organisation does. */
export class Postfix {
  private readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async start(relayPort: number, password: string): Promise<Postfix> {
    const folder = await mkdtemp(join(tmpdir(), 'pennypost-postfix-'));
    await chmod(folder, 0o755);
    const postfix = new Postfix(folder);
    for (const name of ['queue', 'data', 'config']) await mkdir(join(folder, name));
    const { stdout: uid } = await execute('id', ['-u', 'postfix']);
    await chown(join(folder, 'data'), Number(uid), 0);
    await writeFile(join(folder, 'passwords'), `[127.0.0.1]:${relayPort} relay:${password}\n`, { mode: 0o600 });
    await writeFile(join(folder, 'config/main.cf'), postfix.settings(relayPort));
    await writeFile(join(folder, 'config/master.cf'), services);
    await postfix.run('postfix', '-c', join(folder, 'config'), 'start');
    return postfix;
  }

  /** As a program on the same machine would. */
  async send(from: string, to: string, source: string): Promise<void> {
    const sending = execute('sendmail', ['-i', '-C', join(this.folder, 'config'), '-f', from, to], { env });
    sending.child.stdin?.end(source);
    await sending;
  }

  /** What has not been handed over yet, with the reason. */
  async queue(): Promise<{ delay_reason?: string }[]> {
    const listed = await this.run('postqueue', '-c', join(this.folder, 'config'), '-j');
    return listed
      .split('\n')
      .filter(Boolean)
      .flatMap((line) => JSON.parse(line).recipients);
  }

  /** Tries again now. */
  async flush(): Promise<void> {
    await this.run('postqueue', '-c', join(this.folder, 'config'), '-f');
  }

  async stop(): Promise<void> {
    await this.run('postfix', '-c', join(this.folder, 'config'), 'stop');
    await rm(this.folder, { recursive: true, force: true });
  }

  private async run(program: string, ...words: string[]): Promise<string> {
    return (await execute(program, words, { env })).stdout;
  }

  private settings(relayPort: number): string {
    const { folder } = this;
    return [
      'compatibility_level = 3.6',
      `queue_directory = ${folder}/queue`,
      `data_directory = ${folder}/data`,
      `maillog_file = ${folder}/postfix.log`,
      `maillog_file_prefixes = ${folder}`,
      'inet_interfaces = loopback-only\ninet_protocols = ipv4',
      'myhostname = relay.example\nmydestination =\nalias_maps =\nalias_database =',
      `relayhost = [127.0.0.1]:${relayPort}`,
      'smtp_tls_security_level = encrypt\nsmtp_sasl_auth_enable = yes\nsmtp_sasl_security_options = noanonymous',
      `smtp_sasl_password_maps = texthash:${folder}/passwords`,
      'minimal_backoff_time = 1s\nqueue_run_delay = 1s',
      '',
    ].join('\n');
  }
}

/** Only what takes emails on the machine and hands them over: nothing listens to a network. */
const services = `postlog unix-dgram n - n - 1 postlogd
pickup unix n - n 60 1 pickup
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
tlsmgr unix - - n 1000? 1 tlsmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
flush unix n - n 1000? 0 flush
proxymap unix - - n - - proxymap
smtp unix - - n - - smtp
error unix - - n - - error
retry unix - - n - - error
scache unix - - n - 1 scache
showq unix n - n - - showq
`;
