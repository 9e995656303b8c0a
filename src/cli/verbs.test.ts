/** Every command of the server refuses what it does not take, and an inherited property name such as `toString` is not a verb. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { run as config } from './config.ts';
import { CommandError } from './command-error.ts';
import { run as facilitator } from './facilitator.ts';
import { run as migrate } from './migrate.ts';
import { runNoun } from './nouns.ts';
import { run as start } from './start.ts';

for (const verb of ['__proto__', 'constructor', 'toString', 'nothing'])
  test(`assayer lab: the verb ${verb} → a usage error`, async () => {
    await assert.rejects(runNoun(['lab', verb, 'X']), (error: unknown) => {
      assert.ok(error instanceof CommandError, String(error));
      assert.equal(error.exitCode, 2);
      return true;
    });
  });

for (const [name, run] of [
  ['config', config],
  ['facilitator', facilitator],
  ['migrate', migrate],
  ['start', start],
] as const) {
  test(`assayer ${name}: an unknown option or an argument too many → a usage error that names it`, async () => {
    await assert.rejects(run(['--nothing']), (error: unknown) => {
      assert.ok(error instanceof CommandError, String(error));
      assert.equal(error.message, `"assayer ${name}" has no option --nothing; see "assayer ${name} --help".`);
      return error.exitCode === 2;
    });
    await assert.rejects(run(['nothing']), /^CommandError: "nothing" is one argument too many; see/);
  });
}
