// Adds what browsers load in addition to the compiled scripts: style sheet, icons and font. Everything is compressed once, here,
// and served from a path that contains the hash of all files, so that browsers may cache it forever. Also adds the list of
// common passwords.
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';

const font = 'node_modules/@fontsource/newsreader';
const passwords = 'node_modules/@zxcvbn-ts/language-common';

export function addAssets(consoleFolder) {
  const folder = join(consoleFolder, 'assets');
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(join(folder, 'console.css'), styleSheet('src/console/style'));
  for (const name of fs.readdirSync('src/console/pictures')) {
    fs.copyFileSync(join('src/console/pictures', name), join(folder, name));
  }
  fs.copyFileSync(`${font}/files/newsreader-latin-600-normal.woff2`, join(folder, 'newsreader.woff2'));
  fs.copyFileSync(`${font}/LICENSE`, join(folder, 'newsreader-licence.txt'));
  fs.writeFileSync(join(consoleFolder, 'common-passwords.txt'), commonPasswords());
  fs.copyFileSync(`${passwords}/LICENSE.txt`, join(consoleFolder, 'common-passwords-licence.txt'));
  fs.writeFileSync(join(consoleFolder, 'assets.json'), JSON.stringify(describe(folder), null, 2));
}

/** A line each, in lower case. Shorter ones are refused anyway. */
function commonPasswords() {
  const all = JSON.parse(fs.readFileSync(`${passwords}/src/passwords.json`, 'utf8'));
  const long = new Set(all.map((password) => password.toLowerCase()).filter(({ length }) => length >= 8));
  return `\n${[...long].join('\n')}\n`;
}

/** Rules that others build on come first. The order of the other files does not matter. */
const basis = ['layers', 'shared', 'frame', 'stamps', 'forms', 'surfaces'].map((name) => `${name}.css`);

function styleSheet(folder) {
  const names = [...basis, ...fs.readdirSync(folder).filter((name) => !basis.includes(name))];
  return names
    .map((name) => fs.readFileSync(join(folder, name), 'utf8').replaceAll(/\/\*.*?\*\/\s*/gs, ''))
    .join('')
    .replaceAll(/url\(icon:(\w+)\)/g, (_, name) => `url("${iconAsData(name)}")`);
}

/** For rules that draw an icon themselves: a mask cannot refer to a symbol of another file. */
function iconAsData(name) {
  const icons = fs.readFileSync('src/console/pictures/icons.svg', 'utf8');
  const [svg] = /<svg[^>]*/.exec(icons);
  const [, attributes, drawing] = new RegExp(`<symbol id="i-${name}"([^>]*)>(.*?)</symbol>`).exec(icons);
  const picture = `${svg} viewBox="0 0 20 20"><g${attributes}>${drawing}</g></svg>`
    .replaceAll('currentColor', '#000')
    .replaceAll('"', "'");
  return `data:image/svg+xml,${picture.replaceAll(/[#<>]/g, encodeURIComponent)}`;
}

/** Compresses each file where that makes it smaller, and returns the hash of all and the names. */
function describe(folder) {
  const hash = createHash('sha256');
  const names = fs.readdirSync(folder).sort();
  for (const name of names) {
    const content = fs.readFileSync(join(folder, name));
    hash.update(`${name}\n`).update(content);
    if (name.endsWith('.woff2')) continue;
    fs.writeFileSync(join(folder, `${name}.br`), brotliCompressSync(content));
    fs.writeFileSync(join(folder, `${name}.gz`), gzipSync(content, { level: 9 }));
  }
  return { hash: hash.digest('hex').slice(0, 8), names };
}
