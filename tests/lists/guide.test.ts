/** Everything that the guide to filtering shows is asked of the service. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseFilter } from '#core/filter/parse.ts';
import { FilterError, type ListFields } from '#core/filter/index.ts';
import type { Filter, Operand } from '#core/filter/tree.ts';
import { listWorld } from './world.ts';

const guide = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'guide', 'filtering.md'), 'utf8');
const examples = guide.slice(guide.indexOf('## Examples'), guide.indexOf('## Conditions'));
const rest = guide.slice(guide.indexOf('## Conditions'), guide.indexOf('## Grammar'));
const { lists, list } = await listWorld();

/** What may stand between backticks as an illustration, and is no whole question. */
const PLACEHOLDER = /…|field|\b(?:x|low|substring|condition|a)\b(?=[,)])/;

function getField(operand: Operand): string {
  return operand.kind === 'field' ? operand.name : getField(operand.of);
}

function listFieldNames(filter: Filter): string[] {
  if ('operand' in filter) return [getField(filter.operand)];
  return (filter.kind === 'not' ? [filter.of] : filter.of).flatMap((part) => listFieldNames(part));
}

function parseOrUndefined(text: string): Filter | undefined {
  try {
    return parseFilter(text);
  } catch (error) {
    if (error instanceof FilterError) return undefined;
    throw error;
  }
}

function has(fields: ListFields, names: readonly string[]): boolean {
  return names.every((name) => fields.fields.get(name)?.filter === true);
}

/** Of the lists that have the fields, one means what the guide means; another may mean something else by `status`. */
async function assertAnswered(filter: string): Promise<void> {
  const tree = parseOrUndefined(filter);
  assert.ok(tree !== undefined, filter);
  const fitting = lists.filter(({ fields }) => has(fields, listFieldNames(tree)));
  const answers = await Promise.all(fitting.map((each) => each.ask({ filter })));
  assert.ok(
    answers.some(({ status }) => status === 200),
    `no list answers ${filter}: ${answers.map(({ text }) => text).join('\n')}`,
  );
  for (const { status, text } of answers) assert.ok(status === 200 || status === 400, text);
}

test('filter guide: the table of examples → every filter is answered', async () => {
  const rows = [...examples.matchAll(/^\|.*\| +`(.+)` +\|$|^\|.*\| `(.+)`\s*\|$/gm)];
  const filters = rows.map((match) => match[1] ?? match[2] ?? '').filter((text) => text.includes('('));
  assert.ok(filters.length > 10, `${filters.length} examples`);
  for (const filter of filters) await assertAnswered(filter);
  const experiments = list('list_experiments');
  const open = await experiments.ask({ filter: filters[0] ?? '' });
  assert.equal(open.status, 200, open.text);
});

test('filter guide: the curl command → answered', async () => {
  const [, command = ''] = /```\n(curl [^]*?)```/.exec(examples) ?? [];
  const pairs = [...command.matchAll(/--data-urlencode '(\w+)=(.+?)'|-d (\w+)=(\w+)/g)];
  const parameters = Object.fromEntries(
    pairs.map((match) => [match[1] ?? match[3] ?? '', match[2] ?? match[4] ?? '']),
  );
  assert.deepEqual(Object.keys(parameters).sort(), ['filter', 'limit', 'sort']);
  const answer = await list('list_experiments').ask(parameters);
  assert.equal(answer.status, 200, answer.text);
});

test('filter guide: the examples of sorting → answered, and three spellings give one order', async () => {
  const blocks = [...examples.matchAll(/```(?:text)?\n([^]*?)```/g)].map((match) => match[1] ?? '');
  const sorts = (blocks.at(-1) ?? '').split('\n').filter((line) => line !== '');
  assert.equal(sorts.length, 4);
  const pages = await Promise.all(sorts.map((sort) => list('list_experiments').readPage({ sort })));
  assert.deepEqual(pages[1]?.ids, pages[0]?.ids);
  assert.deepEqual(pages[2]?.ids, pages[0]?.ids);
});

test('filter guide: the examples of the command line → answered', async () => {
  const commands = [
    ...rest.matchAll(/^npx assayer (?:list )?(\w+) .*--filter '([^']+)'(?: --sort (\S+))?/gm),
  ];
  assert.equal(commands.length, 3);
  for (const [, name = '', filter = '', sort = ''] of commands)
    await list(`list_${name}`).readPage({ filter, sort });
});

test('filter guide: filters within the text and in the older style → answered', async () => {
  const shown = [...rest.matchAll(/`([^`\n]+)`/g)].map((match) => match[1] ?? '');
  const filters = shown.filter((text) => parseOrUndefined(text) !== undefined && !PLACEHOLDER.test(text));
  assert.ok(filters.length >= 3, filters.join('\n'));
  for (const filter of filters) await assertAnswered(filter);
  const older = shown.filter((text) => /^\w+(?:\(.+\))?=[\w.-]+(?:&.+)?$/.test(text) && !/value/.test(text));
  assert.ok(older.length >= 2, older.join('\n'));
  for (const text of older) {
    const pairs = [...new URLSearchParams(text)];
    const parameters = Object.fromEntries(
      pairs.map(([name]) => [name, pairs.filter(([other]) => other === name).map(([, value]) => value)]),
    );
    const answer = await list('list_experiments').ask(parameters);
    assert.equal(answer.status, 200, `${text} ${answer.text}`);
  }
});
