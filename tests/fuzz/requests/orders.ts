/** Orders that make sense, so that the stream of requests reaches the states behind them. */
import { valueFor, type ValueSources } from './schema-values.ts';

const BINDING = ['screening', 'affinity'];
const OTHERS = ['thermostability', 'fluorescence', 'expression'];

/** The body of a creation, of its rehearsal or of an estimate. */
export function newExperiment(operationId: string, values: ValueSources): Record<string, unknown> {
  const spec = specFor(values);
  if (operationId === 'cost_estimate') return { experiment_spec: spec };
  const { chance, words, secret } = values;
  return {
    name: words(),
    experiment_spec: spec,
    ...(chance.happens(20) ? { description: words() } : {}),
    ...(chance.happens(15) ? { webhook_url: 'https://example.org/hook', webhook_secret: secret } : {}),
    ...(chance.happens(15) ? { skip_draft: true } : {}),
    ...(chance.happens(10) ? { auto_accept_quote: true } : {}),
    ...(chance.happens(10)
      ? { auto_link_material: null, organization_id: valueFor({}, 'organization_id', values) }
      : {}),
  };
}

function specFor(values: ValueSources): Record<string, unknown> {
  const { chance, pool, words } = values;
  const type = chance.pick([...BINDING, ...BINDING, ...OTHERS]);
  const isBinding = BINDING.includes(type);
  const wanted = chance.happens(10);
  return {
    experiment_type: type,
    ...(isBinding ? { method: chance.pick(['bli', 'spr']) } : {}),
    ...(isBinding && !wanted ? { target_id: pool.pick('target_id', chance) } : {}),
    ...(isBinding && wanted ? { requested_target: { name: words(), note: words() } } : {}),
    ...(chance.happens(40) ? { n_replicates: 1 + chance.below(5) } : {}),
    ...(type === 'affinity' && chance.happens(40) ? { antigen_concentrations: [1_000, 100, 10, 0] } : {}),
    sequences: sequencesFor(values),
    ...(chance.happens(70)
      ? { parameters: { sandbox: { force: chance.pick(['binder', 'non_binder']) } } }
      : {}),
  };
}

function sequencesFor({ chance, protein, words }: ValueSources): Record<string, unknown> {
  const count = 1 + chance.below(3);
  return Object.fromEntries(
    Array.from({ length: count }, (_, index) => {
      const aaString = protein();
      const value = chance.happens(60)
        ? aaString
        : {
            aa_string: aaString,
            control: chance.happens(30),
            ...(chance.happens(20) ? { metadata: null } : {}),
          };
      return [`${words()} ${index + 1}`, value];
    }),
  );
}
