/** The command line as people run it: a process with arguments, two output streams and an exit code. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));
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
  /** Called with the child as soon as it runs. */
  readonly onOutput?: (err: string, interrupt: () => void) => void;
}

/**
 * Runs `runAssayer` with the arguments; without a server it knows of none. What is interrupted runs under the launcher, as
 * people run it; the rest without, which saves a process each time.
 */
export async function runAssayer(args: readonly string[], options: CliOptions = {}): Promise<CliAnswer> {
  const { server, input = '', env = {}, onOutput } = options;
  const program = onOutput === undefined ? ['--disable-warning=ExperimentalWarning', MAIN] : [LAUNCHER];
  const child = spawn(process.execPath, [...program, ...args], {
    cwd: ROOT,
    env: {
      ...process.env,
      DATA_DIR: '/nonexistent',
      XDG_CONFIG_HOME: '/nonexistent',
      ASSAYER_URL: server?.url ?? '',
      ASSAYER_TOKEN: server?.token ?? '',
      ...env,
    },
    timeout: LIMIT_MS,
  });
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text;
    onOutput?.(err, () => child.kill('SIGINT'));
  });
  // A command that refuses its arguments does not read its input.
  child.stdin.on('error', () => undefined).end(input);
  const [code]: unknown[] = await once(child, 'close');
  return { code: typeof code === 'number' ? code : null, out, err };
}
