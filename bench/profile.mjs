// Where a process spent its time, from a profile that Node wrote: `node bench/profile.mjs <file.cpuprofile>`.
// For instance of the accept benchmark: `BENCH_CPU_PROFILE=/tmp/profile npm run bench -- accept`.
import { readFileSync } from 'node:fs';

const [file] = process.argv.slice(2);
if (!file || file === '--help') {
  process.stdout.write('node bench/profile.mjs <file.cpuprofile>: shares of processor time, by who spent it\n');
  process.exit(file ? 0 : 1);
}
const profile = JSON.parse(readFileSync(file, 'utf8'));
const frames = new Map(profile.nodes.map(({ id, callFrame }) => [id, callFrame]));

const shares = new Map();
let total = 0;
profile.samples.forEach((id, index) => {
  const spender = spenderOf(frames.get(id));
  if (!spender) return;
  const microseconds = profile.timeDeltas[index];
  shares.set(spender, (shares.get(spender) ?? 0) + microseconds);
  total += microseconds;
});
for (const [spender, microseconds] of [...shares].sort((left, right) => right[1] - left[1])) {
  const percent = (100 * microseconds) / total;
  if (percent >= 0.5) process.stdout.write(`${percent.toFixed(1).padStart(6)} %  ${spender}\n`);
}

function spenderOf({ functionName, url }) {
  if (functionName === '(idle)') return undefined;
  if (functionName === '(garbage collector)') return 'garbage collection';
  if (['writev', 'writeUtf8String', 'writeLatin1String', 'writeBuffer'].includes(functionName))
    return 'writing to sockets';
  if (url.startsWith('node:internal/modules')) return 'loading modules';
  if (url.startsWith('node:')) return 'Node: HTTP server, streams, events';
  const [, ours] = /\/dist\/((?:[\w-]+\/)?[\w.-]+)/.exec(url.replace(/.*node_modules\//, 'node_modules/')) ?? [];
  if (!url.includes('node_modules/') && ours) return `src/${ours.split('/')[0]}`;
  const [, library] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url) ?? [];
  return library ?? 'V8 and the system: JSON, regular expressions, promises, waiting for events';
}
