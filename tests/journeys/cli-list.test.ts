/** `assayer list` against a real service: every list, every form, and all of a long one. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { isRecord } from '#core/records.ts';
import { VHH } from '#testing/builders.ts';
import { startProcess, type ServiceProcess } from '#testing/process.ts';
import { runAssayer, type CliAnswer } from './cli-process.ts';

const SEQUENCES = 250;
const folder = mkdtempSync(join(tmpdir(), 'assayer-cli-list-'));
let service: ServiceProcess | undefined;

before(async () => {
  service = await startProcess(join(folder, 'data'));
  const sequences = Object.fromEntries(
    Array.from({ length: SEQUENCES }, (_, index) => [`design-${index + 1}`, VHH]),
  );
  for (const name of ['first', 'second, with "quotes"']) {
    const spec = { experiment_type: 'thermostability', sequences };
    const answer = await fetch(`${service.url}/api/v1/experiments`, {
      method: 'POST',
      headers: { authorization: `Bearer ${service.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name, experiment_spec: spec }),
    });
    assert.equal(answer.status, 201, await answer.text());
  }
});
after(async () => {
  await service?.stop();
  rmSync(folder, { recursive: true, force: true });
});

function ask(...args: readonly string[]): Promise<CliAnswer> {
  assert.ok(service !== undefined);
  return runAssayer(args, { server: service });
}

async function readLines(...args: readonly string[]): Promise<string[]> {
  const answer = await ask(...args);
  assert.equal(answer.code, 0, answer.err);
  return answer.out.split(/\r?\n/).filter((line) => line !== '');
}

function record(line: string): Readonly<Record<string, unknown>> {
  const value: unknown = JSON.parse(line);
  assert.ok(isRecord(value), line);
  return value;
}

describe('lists', () => {
  it('assayer list: a verb before its noun → exit code 2 and the command', async () => {
    const answer = await ask('list', 'quotes');
    assert.equal(answer.code, 2);
    assert.equal(answer.err, 'There is no command "list". Did you mean "quotes list"?\n');
    const nothing = await ask('quotes', 'list', '--search', 'no such quote');
    assert.match(nothing.err, /^Nothing matches\./);
  });

  it('assayer experiments list: a table that leaves rows out → says how many', async () => {
    const answer = await ask('sequences', 'list', '--sort', 'name', '--limit', '3');
    assert.match(answer.out, /^EXPERIMENT CODE\tNAME\tCONTROL\tLENGTH\tAA PREVIEW\tCREATED AT\tID\n/);
    assert.equal(answer.out.trimEnd().split('\n').length, 4);
    assert.match(answer.err, /^3 of 500; --all lists every one\.$/m);
  });

  it('assayer sequences list --all: a list of many pages → every row once, one object per line with --json', async () => {
    const filter = "contains(name,'design')";
    const all = await readLines(
      'sequences',
      'list',
      '--filter',
      filter,
      '--sort',
      '-name',
      '--all',
      '--json',
    );
    const ids = all.map((line) => record(line)['id']);
    assert.equal(ids.length, 2 * SEQUENCES);
    assert.equal(new Set(ids).size, ids.length);
    assert.ok(service !== undefined);
    const terminal = { server: service, columns: 300, env: { NO_COLOR: '1' } };
    const table = (await runAssayer(['sequences', 'list', '--all'], terminal)).out.trimEnd().split('\n');
    assert.equal(table.length, 1 + 2 * SEQUENCES);
    const starts = new Set(table.map((line) => / {2}(?:ID$|[\da-f]{8}-)/.exec(line)?.index));
    assert.equal(starts.size, 1, 'the columns stand still over the pages');
    assert.equal((await readLines('sequences', 'list', '--limit', '150', '--json')).length, 150);
  });

  it('assayer sequences list --csv: more items than a page → every one; with --limit → so many', async () => {
    assert.equal((await readLines('sequences', 'list', '--csv')).length, 1 + 2 * SEQUENCES);
    assert.equal((await readLines('sequences', 'list', '--csv', '--limit', '3')).length, 1 + 3);
  });

  it('assayer experiments list --csv: a list → a header row and every field', async () => {
    const [head, ...rows] = await readLines('experiments', 'list', '--csv', '--sort', 'name');
    assert.match(head ?? '', /^id,code,name,status,/);
    assert.equal(rows.length, 2);
    assert.match(rows[1] ?? '', /,"second, with ""quotes""",draft,/);
  });

  it('assayer sequences list --search: part of a name in another case → the row that holds it', async () => {
    const found = await readLines('experiments', 'list', '--search', 'WITH "Q', '--json');
    assert.deepEqual(
      found.map((line) => record(line)['name']),
      ['second, with "quotes"'],
    );
    const updates = await readLines('updates', 'list', '--search', 'CREATED', '--json');
    assert.equal(updates.length, 2);
  });

  it('assayer experiments list: wrong arguments or a refusal → a sentence and its exit code', async () => {
    const cases: readonly (readonly [readonly string[], number, RegExp])[] = [
      [['experiments'], 2, /Something is missing behind "experiments"/],
      [['experiment', 'list'], 2, /There is no command "experiment"\. Did you mean "experiments"\?/],
      [['experiments', 'lits'], 2, /has no "lits" \(did you mean "list"\?\)/],
      [['quotes', 'list', '--limit', '0'], 2, /--limit must be a whole number from 1/],
      [['quotes', 'list', '--all', '--limit', '5'], 2, /exclude each other/],
      [['quotes', 'list', '--csv', '--json'], 2, /exclude each other/],
      [['quotes', 'list', '--filtre', 'x'], 2, /no option --filtre \(did you mean --filter\?\)/],
      [
        ['quotes', 'list', '--filter', 'eq(stauts,open)'],
        1,
        /Did you mean "status"\?[^]*\(invalid_query, request/,
      ],
      [['quotes', 'list', '--sort', 'up(id)'], 1, /sort, character/],
    ];
    for (const [args, code, sentence] of cases) {
      const answer = await ask(...args);
      assert.match(answer.err, sentence);
      assert.equal(answer.code, code, answer.err);
      assert.equal(answer.out, '');
      assert.doesNotMatch(answer.err, /^\s+at /m);
    }
    const help = await ask('experiments', 'list', '--help');
    assert.match(help.out, /^Usage: assayer experiments list \[options\]/);
  });
});
