// `npm run test:days`: the whole test suite, once per date, with the wall clock set to that date. libfaketime shifts
// the wall clock of Node, of PostgreSQL and of all their child processes; timers and timeouts stay real, because these
// tests are about dates, not durations.
//
// Not shifted: the monotonic clock (timeouts, leases, delays), the times of files, and the clocks of other servers.
// libfaketime wraps the calls in which PostgreSQL waits, so its timers do not interrupt a backend that waits: a statement
// that waits for a lock or sleeps is not cancelled by its timeout. The three tests of that are skipped, and the rolling
// upgrade, whose migrations give way to other statements by lock timeouts.
//
//   npm run test:days                                   every date below
//   npm run test:days -- 2028-02-29T12:00:00Z           one date of your own, or several
//   npm run test:days -- --files src/letters            all dates, but only the tests whose path contains one of these
import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

process.chdir(resolve(import.meta.dirname, '..'));

// London is the time zone of billing and of printing. Runs that begin minutes before a change include it.
const days = [
  ['tomorrow', () => new Date(Date.now() + 86_400_000)],
  ['a Sunday', () => new Date('2026-11-22T09:00:00Z')],
  ['New Year’s Eve, into the new year', () => new Date('2026-12-31T23:58:00Z')],
  ['summer time begins', () => new Date('2027-03-28T00:58:00Z')],
  ['31 March, into 1 April in London', () => new Date('2027-03-31T22:58:00Z')],
  ['1 April, just after midnight in London', () => new Date('2027-03-31T23:00:30Z')],
  ['summer time ends', () => new Date('2027-10-31T00:58:00Z')],
  ['a leap day', () => new Date('2028-02-29T12:00:00Z')],
  ['ten years ahead', () => new Date('2036-11-15T12:00:00Z')],
];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { help: { type: 'boolean', short: 'h' }, files: { type: 'string', multiple: true, default: [] } },
});
if (values.help) {
  print(
    fs
      .readFileSync(import.meta.filename, 'utf8')
      .split('\nimport')[0]
      .replaceAll(/^\/\/ ?/gm, ''),
  );
  process.exit(0);
}
const invalid = positionals.find((text) => Number.isNaN(Date.parse(text)));
if (invalid) fail(`${invalid} is not a date: write it as 2028-02-29T12:00:00Z`);
const chosen = positionals.length > 0 ? positionals.map((text) => ['as given', () => new Date(text)]) : days;

const library = findLibrary() ?? (await fetchLibrary());
const results = [];
for (const [name, date] of chosen) {
  const moment = date();
  print(`\n${name}: ${moment.toISOString()}`);
  results.push({ name, moment, ...runSuite(moment) });
}
printTable(results);
process.exitCode = results.some(({ failed, completed }) => failed > 0 || !completed) ? 1 : 0;

function runSuite(moment) {
  const report = join(fs.mkdtempSync('node_modules/.days-'), 'report.json');
  const offset_s = Math.round((moment.getTime() - Date.now()) / 1_000);
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--project=quick', '--project=full', ...values.files];
  const { status } = spawnSync(
    process.execPath,
    // Every clock call is slower under libfaketime, and these tests are not about durations.
    [...vitest, '--testTimeout=60000', '--reporter=dot', '--reporter=json', `--outputFile.json=${report}`],
    {
      stdio: 'inherit',
      env: {
        ...process.env,
        LD_PRELOAD: library,
        // An offset, not a moment: every process that a test starts must see the same time.
        FAKETIME: `${offset_s < 0 ? '' : '+'}${offset_s}s`,
        // Timeouts, leases and waits use the monotonic clock, which no date changes.
        FAKETIME_DONT_FAKE_MONOTONIC: '1',
        // Files keep their real times: builds compare them.
        NO_FAKE_STAT: '1',
        TZ: 'UTC',
      },
    },
  );
  const completed = fs.existsSync(report);
  const {
    numTotalTests = 0,
    numFailedTests = 0,
    testResults = [],
  } = completed ? JSON.parse(fs.readFileSync(report, 'utf8')) : {};
  fs.rmSync(resolve(report, '..'), { recursive: true, force: true });
  // A file that fails to load, or an error outside of tests, fails the run without failing a test.
  const broken = testResults.filter((file) => file.status === 'failed' && file.assertionResults.length === 0).length;
  const failed = numFailedTests + broken + (status !== 0 && numFailedTests + broken === 0 ? 1 : 0);
  return { tests: numTotalTests, failed, completed };
}

function printTable(rows) {
  const width = Math.max(...rows.map(({ name }) => name.length));
  print(`\n${'date'.padEnd(20)}  ${''.padEnd(width)}  ${'tests'.padStart(6)}  failures`);
  for (const { name, moment, tests, failed, completed } of rows) {
    const date = moment.toISOString().slice(0, 19);
    print(`${date}Z  ${name.padEnd(width)}  ${String(tests).padStart(6)}  ${completed ? failed : 'did not finish'}`);
  }
}

/** Where Debian's package or an earlier run of this script installed it. */
function findLibrary() {
  const folders = ['/usr/lib', 'node_modules/.libfaketime/usr/lib'];
  const names = ['x86_64-linux-gnu', 'aarch64-linux-gnu', ''];
  const paths = folders.flatMap((folder) => names.map((name) => join(folder, name, 'faketime/libfaketimeMT.so.1')));
  const found = paths.find((path) => fs.existsSync(path));
  return found && fs.realpathSync(found);
}

/** Downloads Debian's package and unpacks it beside the other dependencies, which needs no privileges. */
async function fetchLibrary() {
  const folder = resolve('node_modules/.libfaketime');
  fs.mkdirSync(folder, { recursive: true });
  // As root apt would drop its privileges, and then could not write here.
  const download = () => run('apt-get', ['-o', 'APT::Sandbox::User=root', 'download', 'libfaketime'], folder);
  if (!download() && run('apt-get', ['update'], folder)) download();
  const [archive] = fs.readdirSync(folder).filter((name) => name.endsWith('.deb'));
  if (archive) run('dpkg-deb', ['--extract', archive, folder], folder);
  return findLibrary() ?? fail('This needs libfaketime (Debian and Ubuntu: apt-get install libfaketime).');
}

function run(command, options, cwd) {
  return spawnSync(command, options, { cwd, stdio: 'ignore' }).status === 0;
}

function print(text) {
  process.stdout.write(`${text}\n`);
}

function fail(text) {
  process.stderr.write(`pennypost: ${text}\n`);
  process.exit(1);
}
