/** Orders that make sense, so that the stream of requests reaches the states behind them. */
import { drawValue, type ValueSources } from './schema-values.ts';

const BINDING = ['screening', 'affinity'];
const OTHERS = ['thermostability', 'fluorescence', 'expression'];

/** The body of a creation, of its rehearsal or of an estimate. */
export function createExperimentBody(operationId: string, values: ValueSources): Record<string, unknown> {
  const spec = createSpec(values);
  if (operationId === 'cost_estimate') return { experiment_spec: spec };
  const { chance, getWords, secret } = values;
  return {
    name: getWords(),
    experiment_spec: spec,
    ...(chance.isDrawn(20) ? { description: getWords() } : {}),
    ...(chance.isDrawn(15) ? { webhook_url: 'https://example.org/hook', webhook_secret: secret } : {}),
    ...(chance.isDrawn(15) ? { skip_draft: true } : {}),
    ...(chance.isDrawn(10) ? { auto_accept_quote: true } : {}),
    ...(chance.isDrawn(10)
      ? { auto_link_material: null, organization_id: drawValue({}, 'organization_id', values) }
      : {}),
  };
}

function createSpec(values: ValueSources): Record<string, unknown> {
  const { chance, pool, getWords } = values;
  const type = chance.pick([...BINDING, ...BINDING, ...OTHERS]);
  const isBinding = BINDING.includes(type);
  const isOrdered = chance.isDrawn(10);
  return {
    experiment_type: type,
    ...(isBinding ? { method: chance.pick(['bli', 'spr']) } : {}),
    ...(isBinding && !isOrdered ? { target_id: pool.pick('target_id', chance) } : {}),
    ...(isBinding && isOrdered ? { requested_target: { name: getWords(), note: getWords() } } : {}),
    ...(chance.isDrawn(40) ? { n_replicates: 1 + chance.drawBelow(5) } : {}),
    ...(type === 'affinity' && chance.isDrawn(40) ? { antigen_concentrations: [1_000, 100, 10, 0] } : {}),
    sequences: createSequences(values),
    ...(chance.isDrawn(70)
      ? { parameters: { sandbox: { force: chance.pick(['binder', 'non_binder']) } } }
      : {}),
  };
}

function createSequences({ chance, getProtein, getWords }: ValueSources): Record<string, unknown> {
  const count = 1 + chance.drawBelow(3);
  return Object.fromEntries(
    Array.from({ length: count }, (_, index) => {
      const aaString = getProtein();
      const value = chance.isDrawn(60)
        ? aaString
        : {
            aa_string: aaString,
            control: chance.isDrawn(30),
            ...(chance.isDrawn(20) ? { metadata: null } : {}),
          };
      return [`${getWords()} ${index + 1}`, value];
    }),
  );
}
