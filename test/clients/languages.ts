import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

const execute = promisify(execFile);
const here = import.meta.dirname;

/** A language that an official client is written for. */
interface Language {
  name: 'Node' | 'Python' | 'Java';
  /** Of code blocks in the guide. */
  mark: string;
  /** Installs the client into the folder. */
  install(folder: string): Promise<void>;
  /** Runs a code block of the guide, wrapped in the boilerplate of the language. */
  runBlock(folder: string, block: string, env: NodeJS.ProcessEnv): Promise<string>;
  /** Runs the round, and parses its output. */
  runRound(folder: string, env: NodeJS.ProcessEnv): Promise<unknown>;
}

const node: Language = {
  name: 'Node',
  mark: 'js',
  install: async () => {},
  runBlock: (_, block, env) => run(process.execPath, ['--input-type=module', '-e', block], env),
  runRound: async (_, env) => JSON.parse(await run(process.execPath, [join(here, 'round.mjs')], env)),
};

const python: Language = {
  name: 'Python',
  mark: 'python',
  async install(folder) {
    await need('python3', ['--version'], 'Python 3 with its venv module (Debian: apt install python3-venv)');
    await run('python3', ['-m', 'venv', join(folder, 'venv')]);
    const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check'];
    await run(pythonOf(folder), [...pip, '-r', join(here, 'requirements.txt')]);
  },
  runBlock: (folder, block, env) => run(pythonOf(folder), ['-c', block], env),
  runRound: async (folder, env) => JSON.parse(await run(pythonOf(folder), [join(here, 'round.py')], env)),
};

const java: Language = {
  name: 'Java',
  mark: 'java',
  async install(folder) {
    await need('java', ['--version'], 'Java 17 or newer (Debian: apt install default-jdk-headless)');
    await need('mvn', ['--version'], 'Maven (Debian: apt install maven)');
    await mkdir(join(folder, 'java'));
    await cp(join(here, 'pom.xml'), join(folder, 'java', 'pom.xml'));
    const copy = ['-q', '-B', '-f', join(folder, 'java'), 'dependency:copy-dependencies', '-DoutputDirectory=lib'];
    await run('mvn', copy);
  },
  async runBlock(folder, block, env) {
    const program = join(folder, 'java', 'Guide.java');
    const imports = 'import java.util.Map;\nimport uk.gov.service.notify.*;\n';
    const inMain = `public static void main(String[] words) throws Exception {\n${block}}`;
    await writeFile(program, `${imports}public class Guide {\n${inMain}\n}\n`);
    return runJava(folder, program, env);
  },
  runRound: async (folder, env) => JSON.parse(await runJava(folder, join(here, 'Round.java'), env)),
};

export const languages = [node, python, java];

function pythonOf(folder: string): string {
  return join(folder, 'venv', 'bin', 'python');
}

function runJava(folder: string, program: string, env: NodeJS.ProcessEnv): Promise<string> {
  const path = [join(folder, 'java', 'lib', '*'), join(folder, 'java')].join(delimiter);
  return run('java', ['-Dfile.encoding=UTF-8', '-cp', path, program], env);
}

async function need(command: string, words: string[], what: string): Promise<void> {
  await execute(command, words).catch(() => {
    throw new Error(`These tests need ${what}: "${command}" cannot be run.`);
  });
}

async function run(command: string, words: string[], env: NodeJS.ProcessEnv = process.env): Promise<string> {
  return (await execute(command, words, { env, maxBuffer: 2 ** 26 })).stdout;
}

/** The first block of a language in the guide. */
export async function blockOfGuide(mark: string): Promise<string> {
  const guide = await readFile('docs/guides/sending.md', 'utf8');
  return new RegExp(`^\`\`\`${mark}(?: run)?\\n(.*?)^\`\`\`$`, 'ms').exec(guide)?.[1] ?? '';
}
