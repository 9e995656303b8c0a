/** The commands that guides print, run as one session of a shell in a directory like that of a new clone. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { ROOT } from './cli-process.ts';

/** The address that the guides write. */
const ADDRESS = 'http://127.0.0.1:8080';
const WORK_EVERY_MS = 100;
/** Far beyond what a guide takes; a command without end must not hold up all tests. */
const LIMIT_MS = 240_000;

export interface GuideBlock {
  readonly file: string;
  readonly text: string;
}

/** The blocks of a Markdown file, from the root of the repository, that a reader types into a shell. */
export function readBlocks(file: string): readonly GuideBlock[] {
  const markdown = readFileSync(join(ROOT, file), 'utf8');
  return [...markdown.matchAll(/^```(.*)\n([^]*?)^```$/gm)]
    .filter(([, language = '']) => language === '' || language === 'sh')
    .map(([, , text = '']) => ({ file, text }));
}

export interface GuideServer {
  readonly url: string;
  readonly token: string;
  /** Settings for commands that open the database themselves. */
  readonly variables?: Readonly<Record<string, string>>;
}

export interface SessionAnswer {
  readonly code: unknown;
  readonly out: string;
}

/** A directory with what a clone and a started service leave in it, and programs that stand for `npx` and `curl`. */
export class GuideSession {
  readonly folder = mkdtempSync(join(tmpdir(), 'assayer-guide-'));
  readonly #server: GuideServer;
  #host: ChildProcess | undefined;

  constructor(server: GuideServer) {
    this.#server = server;
    const { url, token } = server;
    for (const name of ['.assayer', 'bin', 'home']) mkdirSync(join(this.folder, name));
    writeFileSync(join(this.folder, '.assayer', 'sandbox.json'), JSON.stringify({ url, token }));
    mkdirSync(join(this.folder, 'examples'));
    for (const name of readdirSync(join(ROOT, 'examples')).filter((file) => file.startsWith('designs.')))
      writeFileSync(join(this.folder, 'examples', name), shortenExample(name));
    const curl = findProgram('curl');
    // curl ends with 0 also for a refusal, unless it is told otherwise.
    // curl takes one of its two ways to fail.
    this.#addProgram(
      'curl',
      `case " $* " in *" --fail "*) how=--silent;; *) how=--fail-with-body;; esac; exec "${curl}" --silent --show-error "$how" "$@"`,
    );
    this.#addProgram('npx', createShim(curl, this.#socket, join(this.folder, 'answer')));
  }

  get #socket(): string {
    return join(this.folder, 'host.sock');
  }

  #addProgram(name: string, command: string): void {
    writeFileSync(join(this.folder, 'bin', name), `#!/bin/sh\n${command}\n`, { mode: 0o755 });
  }

  /** Runs the script in a shell that ends at the first failure; `work` goes on beside it. */
  async run(shell: string, script: string, work: () => void): Promise<SessionAnswer> {
    await this.#startHost();
    writeFileSync(join(this.folder, 'guide.sh'), script.replaceAll(ADDRESS, this.#server.url));
    const child = spawn(shell, ['guide.sh'], {
      cwd: this.folder,
      env: this.#environment,
      timeout: LIMIT_MS,
    });
    let out = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (out += text));
    child.stdin.end();
    const working = setInterval(work, WORK_EVERY_MS);
    const [code]: unknown[] = await once(child, 'close').finally(() => clearInterval(working));
    return { code, out };
  }

  async close(): Promise<void> {
    if (this.#host !== undefined && this.#host.exitCode === null) {
      this.#host.kill();
      await once(this.#host, 'close');
    }
    rmSync(this.folder, { recursive: true, force: true });
  }

  get #environment(): NodeJS.ProcessEnv {
    const path = [join(this.folder, 'bin'), process.env.PATH].join(delimiter);
    const home = join(this.folder, 'home');
    const nowhere = { ASSAYER_URL: '', ASSAYER_TOKEN: '', XDG_CONFIG_HOME: home, HOME: home };
    return { ...process.env, PATH: path, ...nowhere, ...this.#server.variables };
  }

  async #startHost(): Promise<void> {
    if (this.#host !== undefined) return;
    const program = join(ROOT, 'tests/support/command-host.ts');
    const host = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program, this.#socket], {
      cwd: this.folder,
      env: this.#environment,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.#host = host;
    await Promise.race([once(host.stdout, 'data'), once(host, 'close')]);
    if (host.exitCode !== null) throw new Error(`the host of commands ended with ${host.exitCode}`);
  }
}

/** A table of two designs and a FASTA file of one take less of the simulated lab than all of them. */
function shortenExample(name: string): string {
  const rows = name.endsWith('.fasta') ? 2 : 3;
  const lines = readFileSync(join(ROOT, 'examples', name), 'utf8').split('\n');
  return `${lines.slice(0, rows).join('\n')}\n`;
}

/**
 * `npx assayer …`: hands the arguments to the host, which writes the two streams to files and answers the exit code.
 * Only `-` asks for standard input.
 */
function createShim(curl: string, socket: string, answer: string): string {
  return `shift
answer="${answer}.$$"; input=/dev/null
for word; do if [ "$word" = - ]; then input="$answer.in"; cat > "$input"; fi; done
code=$(printf '%s\\0' "$@" | "${curl}" --silent --unix-socket "${socket}" --data-binary @- \\
  -H "x-stdin: $input" -H "x-answer: $answer" -H "x-url: $ASSAYER_URL" -H "x-token: $ASSAYER_TOKEN" \\
  http://localhost/) || exit 71
if [ -s "$answer.err" ]; then cat "$answer.err" >&2; fi
if [ -s "$answer.out" ]; then cat "$answer.out"; fi
exit "$code"`;
}

/** The path of a program of this machine; undefined where it has none of this name. */
export function findProgramIfAny(name: string): string | undefined {
  return (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path));
}

function findProgram(name: string): string {
  return execFileSync('/bin/sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim();
}
