// From measured costs to hardware: see docs/operations/scaling.md.

// The load of a processor at which waiting times are still short.
const comfortableLoad = 0.6;
const daysKept = 7;
// What one primary with its disks can be asked for, before services are spread over several.
const coresOfOneCell = 16;

const [accept_ms, deliver_ms, bytes] = process.argv.slice(2).map(Number);
if (!accept_ms || !deliver_ms || !bytes) {
  process.stderr.write('Usage: node bench/capacity.mjs <ms per accepted> <ms per delivered> <bytes per message>\n');
  process.exit(1);
}

const figure = (value) => value.toLocaleString('en-GB');
print('messages/s', 'a day', 'cores', `disk for ${daysKept} days`, 'arrangement');
process.stdout.write('|---|---|---|---|---|\n');
for (const rate of [1, 100, 10_000]) {
  const cores = Math.ceil((rate * (accept_ms + deliver_ms)) / 1_000 / comfortableLoad);
  const disk_gb = Math.ceil((rate * 86_400 * daysKept * bytes) / 1e9);
  print(figure(rate), figure(rate * 86_400), figure(cores), `${figure(disk_gb)} GB`, arrangementFor(cores));
}

function arrangementFor(cores) {
  if (cores <= 2) return 'one process, embedded database';
  return cores <= coresOfOneCell ? 'several processes, one PostgreSQL' : 'cells';
}

function print(...cells) {
  process.stdout.write(`| ${cells.join(' | ')} |\n`);
}
