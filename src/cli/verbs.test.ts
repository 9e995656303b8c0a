/** Every command of the server refuses what it does not take, and an inherited property name such as `toString` is not a verb. */
import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { CommandError } from './command-error.ts';
import { runCommand } from './commands.ts';
import { runNoun } from './nouns.ts';
import { getTerminal, runInTerminal } from './terminal.ts';

for (const verb of ['__proto__', 'constructor', 'toString', 'nothing'])
  test(`assayer lab: the verb ${verb} → a usage error`, async () => {
    await assert.rejects(runNoun(['lab', verb, 'X']), (error: unknown) => {
      assert.ok(error instanceof CommandError, String(error));
      assert.equal(error.exitCode, 2);
      return true;
    });
  });

for (const name of ['config', 'facilitator', 'migrate', 'start'])
  test(`assayer ${name}: an unknown option or an argument too many → a usage error that names it`, async () => {
    const refuse = async (word: string): Promise<string> => {
      const stderr = new PassThrough();
      const terminal = { ...getTerminal(), stderr };
      assert.equal(await runInTerminal(terminal, () => runCommand([name, word])), 2);
      return text(stderr.end());
    };
    assert.equal(
      await refuse('--nothing'),
      `"assayer ${name}" has no option --nothing; see "assayer ${name} --help".\n`,
    );
    assert.match(await refuse('nothing'), /^"nothing" is one argument too many; see/);
  });
