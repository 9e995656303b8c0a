import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Operation } from '#core/operation.ts';
import { Type } from '#core/schema.ts';
import { createTree } from './fixtures/tree.ts';
import { checkExamples, checkLife, type Life } from './rules/definitions.ts';

const LIFE: Life = {
  statuses: ['draft', 'running', 'done'],
  initial: ['draft'],
  moves: [
    { from: 'draft', to: 'running' },
    { from: 'running', to: 'done' },
  ],
  final: ['done'],
};

const listProblems = (life: Partial<Life>): string[] =>
  checkLife({ ...LIFE, ...life }).map(({ message }) => message);

test('lifecycle: a state that no move leads to → a finding', () => {
  assert.deepEqual(listProblems({}), []);
  assert.deepEqual(listProblems({ moves: [{ from: 'running', to: 'done' }], final: ['draft', 'done'] }), [
    'no move leads to running',
    'no move leads to done',
  ]);
});

test('lifecycle: a state without a way out that is not final, or a final one with a way out → a finding', () => {
  const stuck = [
    { from: 'draft', to: 'running' },
    { from: 'running', to: 'running' },
    { from: 'draft', to: 'done' },
  ];
  assert.deepEqual(listProblems({ moves: stuck }), ["running is somebody's turn and has no way out"]);
  assert.deepEqual(listProblems({ final: ['running', 'done'] }), [
    "running is nobody's turn and has a way out",
  ]);
});

const OPERATION: Operation = {
  id: 'add_note',
  method: 'POST',
  path: '/notes/{note_id}',
  tag: 'notes',
  summary: 'Adds a note',
  effect: 'reversible',
  permission: 'any',
  params: Type.Object({ note_id: Type.String() }),
  body: Type.Object({ text: Type.String() }),
  output: Type.Object({ id: Type.String() }),
  failures: [],
  example: { params: { note_id: 'n1' }, body: { text: 'a' }, output: { id: 'n1' } },
};

function listExampleFindings(change: Partial<Operation>): string[] {
  const contract = "defineOperation({\n  id: 'add_note',\n});\n";
  const tree = createTree({ 'src/domain/notes/contract.ts': contract });
  const findings = checkExamples(tree, [{ ...OPERATION, ...change }]);
  assert.ok(findings.every(({ file, line }) => `${file}:${line}` === 'src/domain/notes/contract.ts:2'));
  return findings.map(({ message }) => message);
}

test('operation-example: a missing part of a call or its answer → a finding', () => {
  assert.deepEqual(listExampleFindings({}), []);
  assert.deepEqual(listExampleFindings({ example: {} }), [
    'add_note: the example params is missing',
    'add_note: the example body is missing',
    'add_note: the example output is missing',
  ]);
  assert.deepEqual(
    listExampleFindings({ example: { params: { note_id: 'n1' } }, bodyMode: 'optional', success: 204 }),
    [],
  );
});

test('operation-example: an example that its schema refuses → a finding', () => {
  const { example } = OPERATION;
  assert.equal(listExampleFindings({ example: { ...example, output: { id: 1 } } }).length, 1);
  assert.equal(listExampleFindings({ example: { ...example, body: { text: 1 } } }).length, 1);
  assert.equal(
    listExampleFindings({ example: { ...example, output: { id: 1 } }, media: ['application/pdf'] }).length,
    0,
  );
});
