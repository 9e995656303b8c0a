/** The command line: `assayer <command>`. Commands are modules, loaded only when they are called. */
import { CommandError } from './command-error.ts';

type Run = (args: readonly string[]) => Promise<void>;

const commands: Readonly<Record<string, { readonly summary: string; load(): Promise<{ run: Run }> }>> = {
  start: { summary: 'run the service with everything it needs', load: () => import('./start.ts') },
  config: { summary: 'list every setting with its present value', load: () => import('./config.ts') },
  migrate: { summary: 'bring the database schema up to date', load: () => import('./migrate.ts') },
};

function usage(): string {
  const width = Math.max(...Object.keys(commands).map((name) => name.length));
  const lines = Object.entries(commands).map(([name, { summary }]) => `  ${name.padEnd(width)}  ${summary}`);
  return `Usage: assayer <command> [options]\n\nCommands:\n${lines.join('\n')}\n\n"assayer <command> --help" explains one.`;
}

async function main(args: readonly string[]): Promise<void> {
  const [name, ...rest] = args;
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    console.log(usage());
    return;
  }
  const command = commands[name];
  if (command === undefined) throw new CommandError(`There is no command "${name}".\n\n${usage()}`, 2);
  const { run } = await command.load();
  await run(rest);
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof CommandError)) throw error;
  console.error(error.message);
  process.exitCode = error.exitCode;
}
