/** The programs that a guide prints, run as they stand there. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './cli-process.ts';

/** Runs the program of a guide that imports a module; everything it printed. */
export async function runGuideProgram(
  guide: string,
  imported: string,
  variables: Readonly<Record<string, string>>,
): Promise<string> {
  const text = readFileSync(join(ROOT, 'docs/guide', guide), 'utf8');
  const programs = [...text.matchAll(/```js\n([^]*?)```/g)].map(([, program = '']) => program);
  const program = programs.find((candidate) => candidate.includes(`from '${imported}'`));
  if (program === undefined) throw new Error(`${guide} has no program that imports ${imported}`);
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: ROOT,
    env: { ...process.env, ...variables },
  });
  let out = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => (out += chunk));
  await once(child, 'close');
  return out;
}
