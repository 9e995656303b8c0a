/** The command line as people run it: arguments, two output streams and an exit code. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { PassThrough, Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { runCommand } from '#cli/commands.ts';
import { runInTerminal } from '#cli/terminal.ts';

const LAUNCHER = fileURLToPath(new URL('../../bin/assayer.mjs', import.meta.url));
export const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** Far beyond what a command takes, on a machine with much else to do as well. */
const LIMIT_MS = 600_000;

export interface CliAnswer {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface CliServer {
  readonly url: string;
  readonly token: string;
}

export interface CliOptions {
  readonly server?: CliServer;
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Called with all that standard error holds, whenever there is more. */
  readonly onOutput?: (err: string) => void;
  /** Standard output and standard error are a terminal of so many columns. */
  readonly columns?: number;
  /** Standard input is a terminal at which a person types `input`. */
  readonly isAsked?: boolean;
  readonly run?: typeof runCommand;
}

export interface ProcessOptions extends Pick<CliOptions, 'server' | 'input' | 'env'> {
  readonly onOutput?: (err: string, interrupt: () => void) => void;
  /** Called when the process runs. */
  readonly onStart?: (interrupt: (signal?: NodeJS.Signals) => void) => void;
  /** A script of the shell that runs the command as "$@". */
  readonly script?: string;
  /** Closes the pipe of standard output after the first piece, as `head` does. */
  readonly isReadOnce?: boolean;
  /** Closes the pipe of standard error before anything comes. */
  readonly isErrorUnread?: boolean;
  /** The folder in which the command runs; the repository unless stated. */
  readonly cwd?: string;
}

/** Runs the command in this process, which saves the start of one; without a server it knows of none. */
export async function runAssayer(
  args: readonly string[],
  { onOutput, columns, isAsked = false, input = '', run = runCommand, ...options }: CliOptions = {},
): Promise<CliAnswer> {
  const [stdout, stderr] = [createOutput(columns), createOutput(columns)];
  const read = { out: '', err: '' };
  stdout.setEncoding('utf8').on('data', (text: string) => (read.out += text));
  stderr.setEncoding('utf8').on('data', (text: string) => {
    read.err += text;
    onOutput?.(read.err);
  });
  const ended = [stdout, stderr].map((stream) => once(stream, 'end'));
  const stdin = Object.assign(Readable.from([Buffer.from(input)]), isAsked ? { isTTY: true } : {});
  const terminal = { stdin, stdout, stderr, environment: buildEnvironment(options) };
  const code = await runInTerminal(terminal, () => run(args));
  stdout.end();
  stderr.end();
  await Promise.all(ended);
  return { code, ...read };
}

/** Runs the command as a process under the launcher: for what only a process has, such as signals and pipes. */
export async function runAssayerProcess(
  args: readonly string[],
  {
    onOutput,
    isReadOnce = false,
    isErrorUnread = false,
    onStart,
    script,
    cwd = ROOT,
    input = '',
    ...options
  }: ProcessOptions = {},
): Promise<CliAnswer> {
  const command = [process.execPath, LAUNCHER, ...args];
  const [program = '', ...rest] = script === undefined ? command : ['sh', '-c', script, 'sh', ...command];
  const child = spawn(program, rest, {
    cwd,
    env: buildEnvironment(options),
    timeout: LIMIT_MS,
  });
  onStart?.((signal = 'SIGINT') => child.kill(signal));
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
    if (isReadOnce) child.stdout.destroy();
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text;
    onOutput?.(err, () => child.kill('SIGINT'));
  });
  if (isErrorUnread) child.stderr.destroy();
  // A command that refuses its arguments does not read its input.
  child.stdin.on('error', () => undefined).end(input);
  const [code]: unknown[] = await once(child, 'close');
  return { code: typeof code === 'number' ? code : null, out, err };
}

function createOutput(columns: number | undefined): PassThrough {
  return Object.assign(new PassThrough(), columns === undefined ? {} : { isTTY: true, columns });
}

function buildEnvironment({ server, env }: Pick<CliOptions, 'server' | 'env'>): NodeJS.ProcessEnv {
  return {
    ...process.env,
    DATA_DIR: '/nonexistent',
    XDG_CONFIG_HOME: '/nonexistent',
    ASSAYER_URL: server?.url ?? '',
    ASSAYER_TOKEN: server?.token ?? '',
    ...env,
  };
}
