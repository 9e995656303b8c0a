/** An inherited property name such as `toString` is not a verb. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CommandError } from './command-error.ts';
import { run as lab } from './lab.ts';
import { run as tokens } from './tokens.ts';

for (const [name, run] of [
  ['tokens', tokens],
  ['lab', lab],
] as const)
  for (const verb of ['__proto__', 'constructor', 'toString', 'nothing']) {
    test(`assayer ${name}: the verb ${verb} → a usage error`, async () => {
      await assert.rejects(run([verb, 'X']), (error: unknown) => {
        assert.ok(error instanceof CommandError, String(error));
        assert.equal(error.exitCode, 2);
        return true;
      });
    });
  }
