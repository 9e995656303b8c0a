/** Requests that ask for the simulated lab, sent to a live environment, which has none. */
import { createSequences, expectFailure, UNKNOWN_ID } from './builders.ts';
import { createRecordedService } from './recorder.ts';

const parameters = { sandbox: { force: 'binder' } };
const spec = { experiment_type: 'expression', sequences: createSequences(1), parameters };

const REQUESTS = {
  orders: [
    ['POST', '/experiments', { name: 'live', experiment_spec: spec }],
    ['POST', '/experiments/validate', { name: 'live', experiment_spec: spec }],
    ['POST', '/experiments/cost-estimate', { experiment_spec: spec }],
    ['PATCH', `/experiments/${UNKNOWN_ID}`, { parameters }],
  ],
  copies: [['POST', `/experiments/${UNKNOWN_ID}/clone`, { parameters }]],
} as const;

export async function proveSandboxRefused(requests: keyof typeof REQUESTS): Promise<void> {
  const live = await createRecordedService({ ENVIRONMENT: 'live' });
  for (const [method, path, body] of REQUESTS[requests])
    expectFailure(await live.ask(method, path, { body }), 422, 'sandbox_only');
}
