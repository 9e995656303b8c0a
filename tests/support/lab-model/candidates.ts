/** What could happen next to the orders of the model. */
import { actions, type Action, type Draw, type Plan } from './actions.ts';
import type { Model, ModelOrder } from './model.ts';

interface Candidate {
  readonly action: Action;
  readonly order: ModelOrder;
  readonly plan: Plan;
}

/** `due` has what brings orders further as often as it is chosen, or everything once; `tempting` what a guard refuses. */
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
