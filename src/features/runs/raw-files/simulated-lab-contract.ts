/** Operations of staff on the simulated lab of a sandbox. */
import { defineOperation } from '#core/operation.ts';
import { Nullable, OneOf, strict, Timestamp, Type } from '#core/schema.ts';
import { sandboxLabs } from '../../experiments/sandbox-options.ts';

const Mode = OneOf(sandboxLabs, {
  description:
    'simulated: the service takes every step that is due; manual: people receive materials, start runs and release',
});

const SimulatedLab = Type.Object({
  mode: Mode,
  changed_by: Nullable(Type.String(), {
    description: 'address of the person who switched it last; null before that',
  }),
  changed_at: Nullable(Timestamp, { description: 'when it was switched last, UTC; null before that' }),
});

const simulated = {
  mode: 'simulated' as const,
  changed_by: 'manager@example.org',
  changed_at: '2026-01-20T09:00:00.000Z',
};

export const getSimulatedLab = defineOperation({
  id: 'get_simulated_lab',
  method: 'GET',
  path: '/lab/simulated-lab',
  tag: 'lab-sandbox',
  summary: 'Read who takes the steps of the lab in a sandbox',
  description: 'An experiment with `parameters.sandbox.lab` has its own answer to this.',
  effect: 'read',
  permission: 'lab:read',
  output: SimulatedLab,
  failures: ['sandbox_only'],
  example: { output: simulated },
});

export const setSimulatedLab = defineOperation({
  id: 'set_simulated_lab',
  method: 'PUT',
  path: '/lab/simulated-lab',
  tag: 'lab-sandbox',
  summary: 'Switch the lab of a sandbox between simulated and manual',
  description:
    'While it is manual, experiments wait until people receive the materials, start the run and release the results. A simulated run that was started before still records its files and is analyzed. Switched back, the simulated lab continues with every experiment that waits for it; runs that people started stay with people.',
  effect: 'reversible',
  permission: 'lab:run',
  bodyMode: 'required',
  body: Type.Object({ mode: Mode }, strict),
  output: SimulatedLab,
  failures: ['sandbox_only'],
  example: { body: { mode: 'simulated' }, output: simulated },
});
