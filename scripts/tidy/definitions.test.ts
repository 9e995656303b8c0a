import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Operation } from '#core/operation.ts';
import { Type } from '#core/schema.ts';
import { createTree } from './fixtures/tree.ts';
import { checkExamples, checkHandlerHeaders, checkStates, type StateGraph } from './rules/definitions.ts';

const STATES: StateGraph = {
  statuses: ['draft', 'running', 'done'],
  initial: ['draft'],
  moves: [
    { from: 'draft', to: 'running' },
    { from: 'running', to: 'done' },
  ],
  final: ['done'],
};

const listProblems = (change: Partial<StateGraph>): string[] =>
  checkStates({ ...STATES, ...change }).map(({ message }) => message);

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

const CONTRACT = 'src/features/notes/staff-contract.ts';
const DEFINITION = "/** Notes. */\nexport const addNote = defineOperation({\n  id: 'add_note',\n});\n";

function listExampleFindings(change: Partial<Operation>): string[] {
  const findings = checkExamples(createTree({ [CONTRACT]: DEFINITION }), [{ ...OPERATION, ...change }]);
  assert.ok(findings.every(({ file, line }) => file === CONTRACT && line === 2));
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

test('operation-example: an example that its schema rejects → a finding', () => {
  const { example } = OPERATION;
  assert.equal(listExampleFindings({ example: { ...example, output: { id: 1 } } }).length, 1);
  assert.equal(listExampleFindings({ example: { ...example, body: { text: 1 } } }).length, 1);
  assert.equal(
    listExampleFindings({ example: { ...example, output: { id: 1 } }, media: ['application/pdf'] }).length,
    0,
  );
});

test('operation-header: a handler whose file does not name its request → a finding', () => {
  const handler = 'src/features/notes/add-note.ts';
  const listFiles = (comment: string): string[] => {
    const text = `${comment}\nexport function addNote() {}\n`;
    const tree = createTree({ [CONTRACT]: DEFINITION, [handler]: text });
    return checkHandlerHeaders(tree, [OPERATION]).map(({ file }) => file);
  };
  assert.deepEqual(listFiles('/** `POST /notes/{note_id}`: adds a note. */'), []);
  assert.deepEqual(listFiles('/** `PUT /notes/{note_id}`: adds a note. */'), [handler]);
  assert.deepEqual(listFiles('/** Adds a note. */'), [handler]);
});
