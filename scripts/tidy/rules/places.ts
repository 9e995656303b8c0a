/** Where files stand: what crosses nouns is in the folder of its step. */
import type { Finding, Rule, Tree } from '../tree.ts';

const LOOSE_WORKFLOW = /^src\/workflows\/[^/]+$/;

export const placeRules: Rule = {
  names: ['workflow-place'],
  check: (tree) => findLooseWorkflows(tree),
};

function findLooseWorkflows(tree: Tree): Finding[] {
  return tree.sources
    .filter(({ path }) => LOOSE_WORKFLOW.test(path))
    .map(({ path }) => {
      const message = 'a workflow stands in the folder of its step: src/workflows/<step>/';
      return { rule: 'workflow-place', file: path, line: 1, message };
    });
}
