/** Where files stand, so that each rule about folders and endings sees them. */
import { isTest, type Finding, type Rule, type Tree } from '../tree.ts';
import { FEATURES, ROOMS, WORKFLOWS } from './imports.ts';

const LOOSE_WORKFLOW = /^src\/workflows\/[^/]+$/;
const IN_FOLDER = /^src\/([^/]+)\/(?:([^/]+)\/)?/;
const ORDERS = new Map([
  ['features', FEATURES],
  ['workflows', WORKFLOWS],
]);
const ORDER_FILE = 'scripts/tidy/rules/imports.ts';
/** Other endings of code; scripts of the browser stand apart from what Node runs. */
const OTHER_ENDING = /^src\/(?!ui\/script\/[\w-]+\.js$).*\.(?:[cm]?[jt]sx?|vue|svelte)$/;

export const placeRules: Rule = {
  names: ['workflow-place', 'folder-order', 'source-ending'],
  check: (tree) => [...findLooseWorkflows(tree), ...findUnordered(tree), ...findOtherEndings(tree)],
};

/** What stands in no order could import everything and be imported by everything. */
function findUnordered(tree: Tree): Finding[] {
  return tree.sources.flatMap(({ path }): Finding[] => {
    const [, room, slice] = IN_FOLDER.exec(path) ?? [];
    if (room === undefined || isTest(path)) return [];
    const order = ORDERS.get(room);
    const isSliceUnknown = order !== undefined && slice !== undefined && !order.includes(slice);
    if (ROOMS.has(room) && !isSliceUnknown) return [];
    const folder = isSliceUnknown ? `${room}/${slice}` : room;
    const message = `src/${folder} has no place in the order of imports: give it one in ${ORDER_FILE}`;
    return [{ rule: 'folder-order', file: path, line: 1, message }];
  });
}

function findOtherEndings(tree: Tree): Finding[] {
  return [...tree.files.keys()]
    .filter((file) => OTHER_ENDING.test(file) && !file.endsWith('.ts'))
    .map((file) => {
      const message =
        'no rule reads this ending: code ends in .ts, a script of the browser stands in src/ui/script/';
      return { rule: 'source-ending', file, line: 1, message };
    });
}

function findLooseWorkflows(tree: Tree): Finding[] {
  return tree.sources
    .filter(({ path }) => LOOSE_WORKFLOW.test(path))
    .map(({ path }) => {
      const message = 'a workflow stands in the folder of its step: src/workflows/<step>/';
      return { rule: 'workflow-place', file: path, line: 1, message };
    });
}
