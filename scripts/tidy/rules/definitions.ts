/** Rules about what the loaded code declares: the lifecycle of an experiment, and the operations with their examples. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Errors } from 'typebox/value';
import type * as Lifecycle from '#core/lifecycle.ts';
import type { Operation } from '#core/operation.ts';
import type { TSchema } from '#core/schema.ts';
import type * as Operations from '#transports/operations.ts';
import type { Finding, Tree } from '../tree.ts';
import { findDefinitions, findHandlers, type Definition } from './operations.ts';

const LIFECYCLE = 'src/core/lifecycle.ts';
const OPERATIONS = 'src/transports/operations.ts';
export const definitionRules: readonly string[] = [
  'lifecycle',
  'operation-example',
  'operation-header',
  'definitions',
];

/** The states of an experiment and its moves between them. */
export interface StateGraph {
  readonly statuses: readonly string[];
  readonly initial: readonly string[];
  readonly moves: readonly { readonly from: string; readonly to: string }[];
  /** States that need no way out, because nobody has to act. */
  readonly final: readonly string[];
}

/** Loads what the tree declares; a file that cannot be loaded is a finding, not a crash. */
export async function checkDefinitions(tree: Tree): Promise<{ findings: Finding[]; operations: number }> {
  const findings: Finding[] = [];
  let operations: readonly Operation[] = [];
  let loading = LIFECYCLE;
  try {
    const lifecycle = await load<typeof Lifecycle>(tree, LIFECYCLE);
    if (lifecycle !== undefined) findings.push(...checkStates(readStates(lifecycle)));
    loading = OPERATIONS;
    const loaded = await load<typeof Operations>(tree, OPERATIONS);
    operations = loaded?.bindings.map((binding) => binding.operation) ?? [];
    findings.push(...checkExamples(tree, operations), ...checkHandlerHeaders(tree, operations));
  } catch (error) {
    const message = `cannot be loaded: ${String(error).split('\n')[0] ?? ''}`;
    findings.push({ rule: 'definitions', file: loading, line: 1, message });
  }
  return { findings, operations: operations.length };
}

async function load<Module>(tree: Tree, path: string): Promise<Module | undefined> {
  if (tree.root === undefined || !tree.files.has(path)) return undefined;
  const loaded: Module = await import(pathToFileURL(join(tree.root, path)).href);
  return loaded;
}

function readStates(lifecycle: typeof Lifecycle): StateGraph {
  const { experimentStatuses: statuses, initialStatuses: initial, moves, getTurn } = lifecycle;
  return {
    statuses,
    initial,
    moves,
    final: statuses.filter((status) => getTurn(status, null).actor === null),
  };
}

/** Every state can be reached, and every state that is somebody's turn can be left. */
export function checkStates({ statuses, initial, moves, final }: StateGraph): Finding[] {
  const reached = new Set(initial);
  for (let size = -1; size !== reached.size;) {
    size = reached.size;
    for (const { from, to } of moves) if (reached.has(from)) reached.add(to);
  }
  return statuses.flatMap((status) => {
    const problems: string[] = [];
    const hasExit = moves.some(({ from, to }) => from === status && to !== status);
    if (!reached.has(status)) problems.push(`no move leads to ${status}`);
    if (!hasExit && !final.includes(status)) problems.push(`${status} is somebody's turn and has no way out`);
    if (hasExit && final.includes(status)) problems.push(`${status} is nobody's turn and has a way out`);
    return problems.map((message) => ({ rule: 'lifecycle', file: LIFECYCLE, line: 1, message }));
  });
}

/** Every operation has an example of a call and its answer, and both match its schemas. */
export function checkExamples(tree: Tree, operations: readonly Operation[]): Finding[] {
  const definitions = indexDefinitions(tree);
  return operations.flatMap((operation) => {
    const { example } = operation;
    const parts: readonly [string, TSchema | undefined, unknown][] = [
      ['params', operation.params, example.params],
      ['query', example.query === undefined ? undefined : operation.query, example.query],
      [
        'body',
        operation.bodyMode === 'optional' && example.body === undefined ? undefined : operation.body,
        example.body,
      ],
      ['output', hasJsonAnswer(operation) ? operation.output : undefined, example.output],
    ];
    const { file, line } = definitions.get(operation.id) ?? { file: OPERATIONS, line: 1 };
    return parts.flatMap(([part, schema, value]): Finding[] => {
      const problem = schema === undefined ? undefined : findProblem(schema, value);
      const message = `${operation.id}: the example ${part} ${problem ?? ''}`;
      return problem === undefined ? [] : [{ rule: 'operation-example', file, line, message }];
    });
  });
}

function hasJsonAnswer({ success, media }: Operation): boolean {
  const hasBody = success !== 204 && success !== 307;
  return hasBody && (media ?? ['application/json']).includes('application/json');
}

function findProblem(schema: TSchema, value: unknown): string | undefined {
  if (value === undefined) return 'is missing';
  const [error] = Errors(schema, value);
  return error === undefined ? undefined : `is not valid: ${error.instancePath || '/'} ${error.message}`;
}

/** The file of a handler says which request it answers, so that nobody has to open its definition. */
export function checkHandlerHeaders(tree: Tree, operations: readonly Operation[]): Finding[] {
  const definitions = indexDefinitions(tree);
  return operations.flatMap(({ id, method, path }): Finding[] => {
    const name = definitions.get(id)?.name ?? '';
    const [handler] = findHandlers(tree, name);
    const request = `\`${method} ${path}\``;
    // A list that is bound by its fields has no function, so no comment either.
    const isFunction = handler?.text.includes(`function ${name}(`) ?? false;
    if (handler === undefined || !isFunction || handler.text.includes(request)) return [];
    const message = `begin the comment of ${name} with ${request} and say what it does`;
    return [{ rule: 'operation-header', file: handler.path, line: 1, message }];
  });
}

function indexDefinitions(tree: Tree): ReadonlyMap<string, Definition> {
  return new Map(findDefinitions(tree).map((definition) => [definition.id, definition]));
}
