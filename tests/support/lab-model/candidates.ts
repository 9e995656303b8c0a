/** The actions that people could take next on the orders of the model. */
import { actions, type Action, type Draw, type Plan } from './actions.ts';
import type { Model, ModelOrder } from './model.ts';

interface Candidate {
  readonly action: Action;
  readonly order: ModelOrder;
  readonly plan: Plan;
}

/**
 * `due` lists each action that brings an order further as often as its weight, or every action once. `tempting` lists
 * the actions that people would expect to work and that a guard refuses.
 */
export function listCandidates(
  model: Model,
  draw: Draw,
  isAnything: boolean,
): { readonly due: readonly Candidate[]; readonly tempting: readonly Candidate[] } {
  const due: Candidate[] = [];
  const tempting: Candidate[] = [];
  for (const order of model.orders) {
    for (const action of actions) {
      const plan = action.plan(model, order, draw);
      if (plan === undefined) continue;
      const candidate = { action, order, plan };
      if (plan.expected === 'refused' && action.isTempting(order)) tempting.push(candidate);
      if (!isAnything && plan.expected !== 'done') continue;
      const copies = isAnything ? 1 : action.weigh(order);
      for (let copy = 0; copy < copies; copy += 1) due.push(candidate);
    }
  }
  return { due, tempting };
}
